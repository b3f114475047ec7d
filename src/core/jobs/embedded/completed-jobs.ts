/** Deletes jobs that have ended: those that end while a statement runs are deleted together by the next one. */
export class CompletedJobs {
  readonly #delete: (ids: number[]) => Promise<void>
  #ids: number[] = []
  #deleting: Promise<void> = Promise.resolve()

  constructor(deleteJobs: (ids: number[]) => Promise<void>) {
    this.#delete = deleteJobs
  }

  /** Resolves when the job is deleted. */
  add(id: number): Promise<void> {
    this.#ids.push(id)
    this.#deleting = this.#deleting
      .catch(() => undefined)
      .then(async () => {
        const ids = this.#ids.splice(0)
        if (ids.length > 0) await this.#delete(ids)
      })
    return this.#deleting
  }
}
