const key = 'failedEdit'

/** Adds the index of the edit that an error is about, which crosses threads with it. */
export function withEdit(error: unknown, edit: number | undefined): unknown {
  return error instanceof Error && edit !== undefined ? Object.assign(error, { [key]: edit }) : error
}

/** Returns the index of the edit that an error of edits is about, if it is about one. */
export function failedEdit(error: unknown): number | undefined {
  const edit = error instanceof Error ? (error as Error & { [key]?: unknown })[key] : undefined
  return typeof edit === 'number' ? edit : undefined
}
