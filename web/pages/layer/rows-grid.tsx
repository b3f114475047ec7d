import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { useScroller } from '../../components/use-scroller.ts'
import { formatNumber } from '../../lib/numbers.ts'
import type { PagedRows } from '../../lib/paged-rows.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { messages } from '../../messages/messages.ts'
import type { Row } from './layer-view.ts'
import { requestedSort, setSort } from './requested-sort.ts'
import { nextSort } from './row-order.ts'

const sizes = { rowHeight: 30, headHeight: 34 }
/** At least; where there are few columns they share the width of the table. */
const minWidth = 150
const numberWidth = 84
const beyondColumns = 2

interface RowsGridProps {
  rows: PagedRows<Row>
  total: number
  names: readonly string[]
  /** Names of the numeric columns, which are right-aligned. */
  numbers: ReadonlySet<string>
  /** Those that rows can be ordered by. */
  sortable: ReadonlySet<string>
  chosen: Signal<Row | undefined>
}

/** Rows and columns in sight of as many as there are. Arrow keys choose a row, which the map marks. */
export function RowsGrid({ rows, total, names, numbers, sortable, chosen }: RowsGridProps) {
  const scroller = useScroller<HTMLElement>(total, sizes)
  const { drawn, element } = scroller
  const { first, end } = drawn
  rows.changes.value
  useEffect(() => rows.want(first, end), [rows, first, end])
  useEffect(() => scroller.show(0), [rows])
  const row = chosen.value
  const at = row?.id === undefined ? undefined : rows.indexOf(({ id }) => id === row.id)
  useEffect(() => {
    if (at !== undefined) scroller.show(at)
  }, [at])
  const columnWidth = Math.max(
    minWidth,
    Math.floor((scroller.width - numberWidth) / Math.max(1, names.length)),
  )
  const from = Math.max(0, Math.floor((scroller.left - numberWidth) / columnWidth) - beyondColumns)
  const to = Math.min(names.length, from + Math.ceil(scroller.width / columnWidth) + 2 * beyondColumns + 1)
  const shown = names.slice(from, to)
  const room = { before: from * columnWidth, behind: (names.length - to) * columnWidth }
  const choose = (index: number): void => {
    const next = rows.row(Math.min(total - 1, Math.max(0, index)))
    if (next !== undefined) chosen.value = next
    else scroller.show(index)
  }
  const onKey = (event: KeyboardEvent): void => {
    const inSight = Math.floor(scroller.height / sizes.rowHeight) - 2
    const by = new Map([
      ['ArrowDown', 1],
      ['ArrowUp', -1],

      ['PageDown', inSight],
      ['PageUp', -inSight],
    ]).get(event.key as 'ArrowUp')
    if (by === undefined) return
    event.preventDefault()
    choose(at === undefined ? first : at + by)
  }
  const draw = Array.from({ length: end - first }, (_, index) => first + index)
  return (
    <section
      ref={element}
      class="grid-scroll"
      tabIndex={0}
      aria-label={layerTexts.value.tableRows}
      onKeyDown={onKey}
    >
      <p class="vh" role="status">
        {at === undefined ? '' : layerTexts.value.chosenRow(at + 1)}
      </p>
      <table
        class="grid-rows"
        aria-rowcount={total + 1}
        aria-colcount={names.length + 1}
        style={{ width: `${numberWidth + names.length * columnWidth}px` }}
      >
        <Head names={shown} {...{ numbers, sortable, from, room, columnWidth }} />
        <tbody>
          <Space height={drawn.before} />
          {draw.map((index) => (
            <GridRow
              key={index}
              index={index}
              row={rows.row(index)}
              names={shown}
              room={room}
              isChosen={index === at}
              onChoose={() => choose(index)}
            />
          ))}
          <Space height={drawn.behind} />
        </tbody>
      </table>
    </section>
  )
}

interface Spacer {
  before: number
  behind: number
}

interface HeadProps extends Pick<RowsGridProps, 'names' | 'numbers' | 'sortable'> {
  /** Number of the first. */
  from: number
  room: Spacer
  columnWidth: number
}

function Head({ names, numbers, sortable, from, room, columnWidth }: HeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" style={{ width: `${numberWidth}px` }}>
          {layerTexts.value.row}
        </th>
        <Side width={room.before} isHead />
        {names.map((name, index) => (
          <ColumnHead
            key={name}
            name={name}
            isNumber={numbers.has(name)}
            isSortable={sortable.has(name)}
            index={from + index + 2}
            width={columnWidth}
          />
        ))}
        <Side width={room.behind} isHead />
      </tr>
    </thead>
  )
}

interface ColumnHeadProps {
  name: string
  isNumber: boolean
  isSortable: boolean
  /** Position among all columns, from 1. */
  index: number
  width: number
}

/** A click sorts by the column; further clicks reverse and remove the order. */
function ColumnHead({ name, isNumber, isSortable, index, width }: ColumnHeadProps) {
  const sort = requestedSort()
  const order = sort?.column !== name ? undefined : sort.isDescending ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      class={isNumber ? 'num' : ''}
      dir="auto"
      title={name}
      aria-colindex={index}
      aria-sort={isSortable ? (order ?? 'none') : undefined}
      style={{ width: `${width}px` }}
    >
      {isSortable ? (
        <button type="button" class="sort" onClick={() => setSort(nextSort(name, sort))}>
          <span>{name}</span>
          {order !== undefined && <Icon name="down" class={order} />}
        </button>
      ) : (
        name
      )}
    </th>
  )
}

interface GridRowProps {
  index: number
  row: Row | undefined
  names: readonly string[]
  room: Spacer
  isChosen: boolean
  onChoose(): void
}

function GridRow({ index, row, names, room, isChosen, onChoose }: GridRowProps) {
  const { locale } = messages.value
  return (
    <tr aria-rowindex={index + 2} aria-current={isChosen} class={isChosen ? 'chosen' : ''} onClick={onChoose}>
      <th scope="row" class="num">
        {formatNumber(locale, index + 1)}
      </th>
      <Side width={room.before} />
      {names.map((name) => {
        const value = row?.properties[name]
        return (
          <td key={name} class={typeof value === 'number' ? 'num' : ''} dir="auto">
            {row === undefined ? '…' : shownValue(value, locale)}
          </td>
        )
      })}
      <Side width={room.behind} />
    </tr>
  )
}

/** In the place of rows that are not drawn. */
function Space({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr class="space">
      <td style={{ height: `${height}px` }} />
    </tr>
  )
}

/** In the place of columns that are not drawn. */
function Side({ width, isHead = false }: { width: number; isHead?: boolean }) {
  if (width <= 0) return null
  return isHead ? <td style={{ width: `${width}px` }} /> : <td />
}

const maxLetters = 120

function shownValue(value: unknown, locale: string): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number')
    return formatNumber(locale, value, { maximumFractionDigits: 10, useGrouping: false })
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > maxLetters ? `${text.slice(0, maxLetters)}…` : text
}
