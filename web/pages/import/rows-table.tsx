import { formatNumber } from '../../lib/numbers.ts'
import { importTexts } from '../../messages/import/texts.ts'
import { messages } from '../../messages/messages.ts'
import type { ColumnFigures, Rows } from './wire.ts'

interface RowsTableProps {
  rows: Rows
  figures: ColumnFigures['columns'] | undefined
}

/** Rows as they would be loaded, below what each column holds. */
export function RowsTable({ rows, figures }: RowsTableProps) {
  const texts = importTexts.value
  const names = figures?.map(({ name }) => name) ?? [
    ...new Set(rows.features.flatMap((one) => Object.keys(one.properties))),
  ]
  return (
    <section class="scroll" tabIndex={0} aria-label={texts.rows}>
      <table class="grid">
        <thead>
          <tr>
            <th>{texts.row}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                <ColumnHead name={name} figures={figures?.find((one) => one.name === name)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.features.map(({ id, properties }, index) => (
            <tr key={`${id ?? index}`}>
              <td>{id ?? index + 1}</td>
              {names.map((name) => (
                <Cell key={name} value={properties[name]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function ColumnHead({
  name,
  figures,
}: {
  name: string
  figures: ColumnFigures['columns'][number] | undefined
}) {
  const texts = importTexts.value
  const { locale } = messages.value
  if (figures === undefined) return <b dir="auto">{name}</b>
  const { type, count, empty, distinct, min, max, exact } = figures
  const share = count === 0 ? 0 : empty / count
  return (
    <div class="colh">
      <div class="nm">
        <b dir="auto">{name}</b>
      </div>
      <span class="mono tiny">{type}</span>
      <div class="rng">
        <span class="cut" dir="auto">
          {textOf(min)}
        </span>
        <span class="cut" dir="auto">
          {textOf(max)}
        </span>
      </div>
      <span class="stt">
        {share === 0 ? texts.full : texts.empty(formatNumber(locale, share, { style: 'percent' }))}
        {distinct !== undefined && ` · ${exact ? '' : '~'}${texts.distinct(distinct)}`}
      </span>
    </div>
  )
}

function Cell({ value }: { value: unknown }) {
  const texts = importTexts.value
  const { locale } = messages.value
  if (value === null || value === undefined || value === '') return <td class="dimmer">{texts.noValue}</td>
  if (typeof value === 'number')
    return (
      <td class="num">{formatNumber(locale, value, { maximumFractionDigits: 10, useGrouping: false })}</td>
    )
  return (
    <td dir="auto">
      <span class="cell">{textOf(value)}</span>
    </td>
  )
}

const mostLetters = 200

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > mostLetters ? `${text.slice(0, mostLetters)}…` : text
}
