const most = 100

/** Descriptions of what a reader or writer omits from a document, without duplicates. */
export class Losses {
  readonly #words = new Set<string>()
  #others = 0

  constructor(words: Iterable<string> = []) {
    for (const word of words) this.add(word)
  }

  /** Records an omitted part. Returns undefined, to use in its place. */
  add(what: string): undefined {
    const word = what.replace(/\s+/g, ' ').slice(0, 200)
    if (this.#words.has(word)) return
    if (this.#words.size < most) this.#words.add(word)
    else this.#others += 1
  }

  list(): string[] {
    return this.#others === 0 ? [...this.#words] : [...this.#words, `${this.#others} things more`]
  }
}

/** A document, and the parts of a style that it cannot express. */
export interface WrittenStyle {
  document: string
  lost: string[]
}
