"""Agents that misbehave, and the proof that the referee contains them: `agent` (the program), `cases`, `suite`."""
