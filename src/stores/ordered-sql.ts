import type { OrderedRows, RowPosition, SortKey } from './order.ts'

/**
 * Binds a value and returns its placeholder; call in the order in which conditions appear in the statement.
 */
export type Bind<Value> = (value: Value) => string

/** A sort column in the SQL of a store. */
export interface OrderColumn<Value> {
  /** Expression for comparing with position values. */
  value: string
  /** Returns a value of a position as a bound expression. */
  bound(value: string, bind: Bind<Value>): string
  /** Returns the expression for `order by`, null for empty values, with `desc` if requested. */
  order(isDescending: boolean): string
  isEmpty: string
  isFilled: string
  /** True if only nulls count as empty, so that an index contains the rows in the requested order. */
  isPlain: boolean
  /** True if no value is null. */
  isAlwaysFilled: boolean
}

/** A part of the rows, all of which precede those of the next part. */
export interface OrderedPart<Value> {
  /** Returns undefined if there is none. */
  condition(bind: Bind<Value>): string | undefined
  /** Expression after `order by`; empty without an order. */
  order: string
}

/** A sort column with its direction. */
interface Walked<Value> {
  column: OrderColumn<Value>
  isDescending: boolean
}

interface OrderedQuery<Value> {
  columns: readonly OrderColumn<Value>[]
  /** Column that orders rows with equal values; undefined if there is none. */
  id: Pick<OrderColumn<Value>, 'value' | 'bound'> | undefined
  rows: OrderedRows & { offset: number }
}

/**
 * Splits the requested rows into parts, to be read in sequence until there are enough rows. Each part has
 * conditions that let an index on the first column start at the beginning of the page and end when the page
 * is full.
 */
export function orderedParts<Value>({ columns, id, rows }: OrderedQuery<Value>): OrderedPart<Value>[] {
  const { sort = [], from, offset } = rows
  const isBackward = from?.isBackward === true
  const walked = columns.map((column, index) => ({
    column,
    isDescending: isDown(sort, index) !== isBackward,
  }))
  const idOrder = id === undefined ? [] : [`${id.value}${isBackward ? ' desc' : ''}`]
  const orderOf = (of: Walked<Value>[]): string[] =>
    of.map(({ column, isDescending }) => column.order(isDescending))
  const rest = new Rest(walked, id, { isBackward, row: from?.row })
  const [first, ...others] = walked
  if (first === undefined || (from === undefined && (first.column.isPlain || offset > 0)))
    return [{ condition: (bind) => rest.from(0, bind), order: [...orderOf(walked), ...idOrder].join(', ') }]
  const { column, isDescending } = first
  const behind = [...orderOf(others), ...idOrder]
  const start = from?.row.values[0]
  const filled: OrderedPart<Value> = {
    condition: (bind) => (typeof start === 'string' ? rest.filledFrom(bind) : column.isFilled),
    order: [`${column.value}${isDescending ? ' desc' : ''}`, ...behind].join(', '),
  }
  const empty: OrderedPart<Value> = {
    condition: (bind) => {
      const tail = from !== undefined && start === null ? rest.from(1, bind) : undefined
      return tail === undefined ? column.isEmpty : `${column.isEmpty} and ${tail}`
    },
    order: behind.join(', '),
  }
  if (column.isAlwaysFilled) return [filled]
  if (isDescending) return typeof start === 'string' ? [filled] : [empty, filled]
  return from !== undefined && start === null ? [empty] : [filled, empty]
}

function isDown(sort: readonly SortKey[], index: number): boolean {
  return sort[index]?.isDescending === true
}

/** Conditions that select the rows after a position. */
class Rest<Value> {
  readonly #walked: readonly Walked<Value>[]
  readonly #id: OrderedQuery<Value>['id']
  readonly #row: RowPosition | undefined
  readonly #isBackward: boolean

  constructor(
    walked: readonly Walked<Value>[],
    id: OrderedQuery<Value>['id'],
    { isBackward, row }: { isBackward: boolean; row: RowPosition | undefined },
  ) {
    this.#walked = walked
    this.#id = id
    this.#isBackward = isBackward
    this.#row = row
  }

  /** Returns the condition for the columns from `index` on and the id; undefined without a position. */
  from(index: number, bind: Bind<Value>): string | undefined {
    if (this.#row === undefined) return undefined
    const here = this.#walked[index]
    if (here === undefined) return this.#byId(this.#row, bind)
    const { column, isDescending } = here
    const start = this.#row.values[index]
    if (start === null || start === undefined) {
      const among = `(${column.isEmpty} and ${this.from(index + 1, bind)})`
      return isDescending ? `(${among} or ${column.isFilled})` : among
    }
    const parts = [this.#beyond(here, start, bind)]
    if (!isDescending && !column.isAlwaysFilled) parts.push(column.isEmpty)
    parts.push(this.#among(index, column, start, bind))
    return `(${parts.join(' or ')})`
  }

  /** Returns a condition for rows with a value in the first column, if the position has a value there. */
  filledFrom(bind: Bind<Value>): string {
    const here = this.#walked[0]
    const start = this.#row?.values[0]
    if (here === undefined || typeof start !== 'string') throw new Error('There is no value to begin at')
    const { column, isDescending } = here
    const near = `${column.value} ${isDescending ? '<=' : '>='} ${column.bound(start, bind)}`
    const exact = `(${this.#beyond(here, start, bind)} or ${this.#among(0, column, start, bind)})`
    return [...(column.isPlain ? [] : [column.isFilled]), near, exact].join(' and ')
  }

  #beyond({ column, isDescending }: Walked<Value>, start: string, bind: Bind<Value>): string {
    const further = `${column.value} ${isDescending ? '<' : '>'} ${column.bound(start, bind)}`
    return column.isPlain ? further : `(${column.isFilled} and ${further})`
  }

  #among(index: number, column: OrderColumn<Value>, start: string, bind: Bind<Value>): string {
    return `(${column.value} = ${column.bound(start, bind)} and ${this.from(index + 1, bind)})`
  }

  #byId({ id }: RowPosition, bind: Bind<Value>): string {
    const own = this.#id
    if (own === undefined) throw new Error('Rows without ids have no position')
    return `${own.value} ${this.#isBackward ? '<' : '>'} ${own.bound(id, bind)}`
  }
}
