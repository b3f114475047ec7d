/** The column that rows are ordered by. */
export interface Sort {
  column: string
  isDescending: boolean
}

/** As it stands in the address of the page: `up` or `down`, a point and the name, which may begin with anything. */
export function sortText({ column, isDescending }: Sort): string {
  return `${isDescending ? 'down' : 'up'}.${column}`
}

export function readSort(text: string): Sort | undefined {
  const [, order, column] = /^(up|down)\.(.+)$/su.exec(text) ?? []
  return column === undefined ? undefined : { column, isDescending: order === 'down' }
}

/** Goes on from no order to the smallest first, the largest first, and back to none. */
export function nextSort(column: string, before: Sort | undefined): Sort | undefined {
  if (before?.column !== column) return { column, isDescending: false }
  return before.isDescending ? undefined : { column, isDescending: true }
}

/** As the server takes it: in quotes, whatever letters are in the name. */
export function sortParameter({ column, isDescending }: Sort): string {
  return `${isDescending ? '-' : ''}"${column.replaceAll('"', '""')}"`
}
