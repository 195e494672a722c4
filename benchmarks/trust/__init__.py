"""Trust: how often is a wrong formula called right, and a right one not?"""
