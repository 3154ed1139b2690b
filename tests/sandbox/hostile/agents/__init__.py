"""The programs that misbehave. They run alone in the sandbox, without this package."""
