/** Of a database and of a start: what is played and what is real never meet. */
export type World = "sandbox" | "real";
