//! Runs test cases on targets, confirms what they show, and keeps the results.
