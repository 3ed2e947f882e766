"""The words of the app, in every language it speaks."""
