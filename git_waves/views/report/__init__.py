"""The morning report for people: Markdown for a terminal, a mail or a pull request, and one page for a browser."""
