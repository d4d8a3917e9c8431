/** The package has no types of its own. */
declare module "snowball-stemmers" {
  interface Stemmer {
    stem(word: string): string;
  }
  const snowball: { newStemmer(language: "russian" | "english"): Stemmer };
  export = snowball;
}
