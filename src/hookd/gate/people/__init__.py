"""What persons decide: grants, answers to questions, and the rules learned from them."""
