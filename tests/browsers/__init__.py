"""The walk of a reader in the browsers that the other tests do not drive."""
