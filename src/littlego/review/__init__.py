"""What a game or an agent did wrong, from exact values: verdicts, regret, drills, analysis."""
