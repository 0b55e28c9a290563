"""What is asked of a search: suggestions, budgets, answers."""
