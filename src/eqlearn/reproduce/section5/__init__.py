"""The experiments of section 5: a cart-pole swung up with what was learned."""
