"""What is attempted at the table: dice thrown, told or spent on, and what comes of them."""
