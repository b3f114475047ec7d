import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useScrolled } from '../../../components/use-scrolled.ts'
import { formatNumber } from '../../../lib/numbers.ts'
import { drawnRows } from '../../../lib/window-rows.ts'
import { columnsTexts } from '../../../messages/import/texts.ts'
import { messages } from '../../../messages/messages.ts'
import type { Row, RowPages } from './row-pages.ts'
import { shownValue } from './shown-value.ts'

interface RowsGridProps {
  pages: RowPages
  names: readonly string[]
  /** Number of rows, as far as known. */
  total: number
  /** Number of the row that is chosen, in the table and on the map. */
  chosen: number | undefined
  onChoose(row: number): void
  head(name: string): ComponentChildren
}

const rowHeight = 30
/** At least; where there are few columns they share the width of the table. */
const minWidth = 172
const numberWidth = 76
const maxHeight = 8_000_000
const [rowsBeyond, columnsBeyond] = [6, 2]

/** All rows: those in sight are drawn, and the columns in sight of them. */
export function RowsGrid({ pages, names, total, chosen, onChoose, head }: RowsGridProps) {
  const texts = columnsTexts.value
  const { element, scrolled } = useScrolled<HTMLElement>()
  const rows = drawnRows({
    rows: total,
    rowHeight,
    scrolled: scrolled.top,
    height: scrolled.height,
    beyond: rowsBeyond,
    maxHeight,
  })
  const columnWidth = Math.max(
    minWidth,
    Math.floor((scrolled.width - numberWidth) / Math.max(1, names.length)),
  )
  const columns = drawnRows({
    rows: names.length,
    rowHeight: columnWidth,
    scrolled: scrolled.left,
    height: scrolled.width,
    beyond: columnsBeyond,
    maxHeight,
  })
  useEffect(() => pages.show(rows.first, rows.end), [pages, rows.first, rows.end])
  useEffect(() => {
    if (chosen !== undefined) bringInSight(element.current, chosen - 1, total)
  }, [chosen])
  const shown = names.slice(columns.first, columns.end)
  const places = Array.from({ length: rows.end - rows.first }, (_, at) => rows.first + at)
  return (
    <section ref={element} class="rows-grid" tabIndex={0} aria-label={texts.rows}>
      <table
        class="grid"
        aria-rowcount={total + 1}
        aria-colcount={names.length + 1}
        style={{ width: `${numberWidth + names.length * columnWidth}px` }}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" class="no">
              {texts.row}
            </th>
            <Gap width={columns.before} />
            {shown.map((name, at) => (
              <th
                key={name}
                scope="col"
                aria-colindex={columns.first + at + 2}
                style={{ width: `${columnWidth}px` }}
              >
                {head(name)}
              </th>
            ))}
            <Gap width={columns.behind} />
          </tr>
        </thead>
        <tbody>
          {rows.before > 0 && <tr class="gap" style={{ height: `${rows.before}px` }} />}
          {places.map((place) => (
            <DataRow
              key={place}
              {...{ place, chosen, onChoose, columns }}
              row={pages.rowAt(place)}
              names={shown}
            />
          ))}
          {rows.behind > 0 && <tr class="gap" style={{ height: `${rows.behind}px` }} />}
        </tbody>
      </table>
    </section>
  )
}

interface DataRowProps extends Pick<RowsGridProps, 'chosen' | 'onChoose'> {
  /** Number of preceding rows. */
  place: number
  row: Row | undefined
  /** Visible columns, and the widths of the space beside them. */
  names: readonly string[]
  columns: { before: number; behind: number }
}

function DataRow({ place, row, names, columns, chosen, onChoose }: DataRowProps) {
  const id = row === undefined ? undefined : Number(row.id ?? place + 1)
  return (
    <tr
      aria-rowindex={place + 2}
      aria-selected={id !== undefined && id === chosen}
      onClick={() => id !== undefined && onChoose(id)}
    >
      <td class="no">
        {id === undefined ? (
          <span class="dimmer">{place + 1}</span>
        ) : (
          <button type="button" aria-label={columnsTexts.value.choose(id)} onClick={() => onChoose(id)}>
            {id}
          </button>
        )}
      </td>
      <Gap width={columns.before} />
      {names.map((name) => (
        <Cell key={name} isThere={row !== undefined} value={row?.properties[name]} />
      ))}
      <Gap width={columns.behind} />
    </tr>
  )
}

/** In the place of columns out of sight. */
function Gap({ width }: { width: number }) {
  return width === 0 ? null : <td aria-hidden="true" class="gap" style={{ width: `${width}px` }} />
}

function Cell({ isThere, value }: { isThere: boolean; value: unknown }) {
  if (!isThere) return <td class="cut dimmer">…</td>
  if (value === null || value === undefined || value === '')
    return <td class="cut dimmer">{columnsTexts.value.noValue}</td>
  if (typeof value === 'number')
    return (
      <td class="cut num">
        {formatNumber(messages.value.locale, value, { maximumFractionDigits: 10, useGrouping: false })}
      </td>
    )
  return (
    <td class="cut" dir="auto">
      {shownValue(value)}
    </td>
  )
}

/** Scrolls to a row where it is not in sight. */
function bringInSight(box: HTMLElement | null, place: number, total: number): void {
  if (box === null) return
  const whole = total * rowHeight
  const shown = Math.min(whole, maxHeight)
  const head = box.querySelector('thead')?.clientHeight ?? 0
  const inSight = box.clientHeight - head
  const top = whole > shown ? (place / Math.max(1, total)) * (shown - box.clientHeight) : place * rowHeight
  if (top >= box.scrollTop && top <= box.scrollTop + inSight - rowHeight) return
  // No row is cut by the head.
  box.scrollTop = Math.max(0, Math.round((top - inSight / 2) / rowHeight) * rowHeight)
}
