"""The rules engine and the game loop. Standard library only."""
