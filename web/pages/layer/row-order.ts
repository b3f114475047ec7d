/** The column that rows are ordered by. */
export interface Sort {
  column: string
  isDescending: boolean
}

/** Format in the page's address: `up` or `down`, a dot and the name, which may begin with any character. */
export function sortText({ column, isDescending }: Sort): string {
  return `${isDescending ? 'down' : 'up'}.${column}`
}

export function readSort(text: string): Sort | undefined {
  const [, order, column] = /^(up|down)\.(.+)$/su.exec(text) ?? []
  return column === undefined ? undefined : { column, isDescending: order === 'down' }
}

/** Cycles from unsorted to ascending, descending and back. */
export function nextSort(column: string, before: Sort | undefined): Sort | undefined {
  if (before?.column !== column) return { column, isDescending: false }
  return before.isDescending ? undefined : { column, isDescending: true }
}

/** Returns the `sortby` parameter; the column name is quoted, so it may contain any character. */
export function sortParameter({ column, isDescending }: Sort): string {
  return `${isDescending ? '-' : ''}"${column.replaceAll('"', '""')}"`
}
