import { explain } from './errors.ts'

/** Logs a message, also from another thread. */
export type Say = (level: 'debug' | 'info' | 'warn' | 'error', facts: object, message: string) => void

const maxLength = 500

/** Current problems by component; logs the start and the end of each. */
export class Problems {
  readonly #texts = new Map<string, string>()
  readonly #say: Say

  constructor(say: Say) {
    this.#say = say
  }

  /** Runs the work of a component. An error becomes its problem; success ends the problem. */
  async guard<T>(part: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work()
      this.end(part)
      return result
    } catch (error) {
      this.begin(part, explain(error))
      return undefined
    }
  }

  begin(part: string, text: string): void {
    const cut = text.slice(0, maxLength)
    if (this.#texts.get(part) !== cut) this.#say('warn', { part, problem: cut }, 'a part has a problem')
    this.#texts.set(part, cut)
  }

  end(part: string): void {
    if (this.#texts.delete(part)) this.#say('info', { part }, 'a part works again')
  }

  get(part: string): string | undefined {
    return this.#texts.get(part)
  }

  /** Returns the components that have a problem. */
  parts(): string[] {
    return [...this.#texts.keys()]
  }
}
