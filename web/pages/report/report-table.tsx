import { useSignal } from '@preact/signals'
import { shownBytes, shownNumber } from '../../components/formats.ts'
import { addressOf } from '../../lib/base.ts'
import { reportTexts } from '../../messages/report/texts.ts'
import type { Report } from './report-query.ts'

type Row = Report['rows'][number]
type Numbers = NonNullable<Report['total']>

/** More rows are shown on demand, and all of them when printing CSV. */
const shownMost = 200

/** Rows of a report with the total, which is shown once. */
export function ReportTable({ report }: { report: Report }) {
  const texts = reportTexts.value
  const isWhole = useSignal(false)
  const rows = isWhole.value ? report.rows : report.rows.slice(0, shownMost)
  const columns = columnsOf(report.compare !== null)
  if (report.rows.length === 0) return <p class="panel body dim">{texts.none}</p>
  return (
    <section class="panel">
      <section class="scroll" tabIndex={0} aria-label={texts.title}>
        <table class="report-table">
          <thead>
            <tr>
              <th scope="col">{texts.groupings[report.by]}</th>
              {columns.map(({ caption }) => (
                <th key={caption} scope="col" class="num">
                  {caption}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  <Name row={row} by={report.by} />
                </th>
                {columns.map(({ caption, text }) => (
                  <td key={caption} class="num">
                    {text(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {report.total !== null && <Total total={report.total} columns={columns} />}
        </table>
      </section>
      {rows.length < report.rows.length && (
        <footer>
          <button
            type="button"
            class="btn sm"
            onClick={() => {
              isWhole.value = true
            }}
          >
            {texts.more(report.rows.length)}
          </button>
        </footer>
      )}
    </section>
  )
}

function Name({ row: { key, title, href }, by }: { row: Row; by: Report['by'] }) {
  const name = (title ?? key).slice(0, 300)
  if (by !== 'layer' || href === null) return <span dir="auto">{name}</span>
  return (
    <a href={addressOf(`/app/layers/${encodeURIComponent(key)}`)} dir="auto" title={key}>
      {name}
    </a>
  )
}

interface Column {
  caption: string
  text(row: Numbers): string
}

function Total({ total, columns }: { total: Numbers; columns: readonly Column[] }) {
  return (
    <tfoot>
      <tr>
        <th scope="row">{reportTexts.value.total}</th>
        {columns.map(({ caption, text }) => (
          <td key={caption} class="num">
            {text(total)}
          </td>
        ))}
      </tr>
    </tfoot>
  )
}

function columnsOf(isCompared: boolean): Column[] {
  const texts = reportTexts.value
  const number = (caption: string, value: (row: Numbers) => number | null | undefined): Column => ({
    caption,
    text: (row) => numberText(value(row)),
  })
  return [
    number(texts.requests, ({ hits }) => hits),
    ...(isCompared ? [number(texts.before, ({ before }) => before?.hits)] : []),
    number(texts.people, ({ people }) => people.hits),
    number(texts.visits, ({ people }) => people.visits),
    number(texts.outside, ({ outside }) => outside.hits),
    number(texts.robots, ({ robots }) => robots),
    number(texts.files, ({ events }) => events['downloads']),
    number(texts.errors, ({ errors }) => errors),
    {
      caption: texts.time,
      text: ({ p95 }) => (p95 === null ? texts.unknown : texts.milliseconds(shownNumber(Math.round(p95)))),
    },
    { caption: texts.bytes, text: ({ bytes }) => (bytes === null ? texts.unknown : shownBytes(bytes)) },
  ]
}

function numberText(value: number | null | undefined): string {
  return value === null || value === undefined ? reportTexts.value.unknown : shownNumber(value)
}
