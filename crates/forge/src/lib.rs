//! Formulas that are satisfiable or unsatisfiable by construction, with their truth.
