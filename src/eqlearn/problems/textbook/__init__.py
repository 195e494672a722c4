"""Laws of textbooks beyond sums, products, quotients and sines, and fast waves.

Half of them is never looked at by whoever works on the search.
"""
