import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { chartTexts } from '../messages/charts/texts.ts'
import { fileName, saveFile, toCsv } from './save-chart.ts'

/** Values of a chart, as rows; the first row is the header. */
type ChartRows = readonly (readonly (string | number | null)[])[]

interface Props {
  title: string
  /** Called when the reader requests the rows. */
  rows(): ChartRows
  /** Rows as people read them; without it those of the file. */
  shownRows?(): ChartRows
  onPicture(): void
  /** True once the rows are loaded: until then no table is shown or saved. */
  isLoaded: boolean
  /** Elements beside the title: choices, a legend. */
  head?: ComponentChildren
  foot?: ComponentChildren
  class?: string
  children: ComponentChildren
}

const shownAtOnce = 100

/** A chart with its title, as a picture, a file and a table. */
export function ChartPanel({
  title,
  rows,
  shownRows = rows,
  onPicture,
  isLoaded,
  head,
  foot,
  children,
  ...rest
}: Props) {
  const texts = chartTexts.value
  const id = useId()
  const isTable = useSignal(false)
  return (
    <section class={`panel ${rest.class ?? ''}`} aria-labelledby={id}>
      <header>
        <h2 id={id} class="full">
          {title}
        </h2>
        {head}
        <button
          type="button"
          class="btn quiet sm"
          aria-pressed={isTable.value}
          aria-label={texts.tableOf(title)}
          onClick={() => {
            isTable.value = !isTable.value
          }}
        >
          <Icon name="table" />
          {texts.table}
        </button>
        <button
          type="button"
          class="btn quiet sm"
          aria-label={texts.saveAs(texts.csv, title)}
          disabled={!isLoaded}
          onClick={() =>
            saveFile(fileName(title, 'csv'), new Blob(['\uFEFF', toCsv(rows())], { type: 'text/csv' }))
          }
        >
          <Icon name="download" />
          {texts.csv}
        </button>
        <button
          type="button"
          class="btn quiet sm"
          aria-label={texts.saveAs(texts.png, title)}
          disabled={!isLoaded}
          onClick={onPicture}
        >
          {texts.png}
        </button>
      </header>
      {isTable.value && isLoaded ? <RowTable title={title} rows={shownRows()} /> : children}
      {foot}
    </section>
  )
}

function RowTable({ title, rows }: { title: string; rows: ChartRows }) {
  const texts = chartTexts.value
  const first = useSignal(0)
  const [heads = [], ...all] = rows
  const begin = Math.min(first.value, Math.max(0, all.length - 1))
  const shown = all.slice(begin, begin + shownAtOnce)
  return (
    <>
      <section class="scroll chart-rows" tabIndex={0} aria-label={texts.tableOf(title)}>
        <table>
          <thead>
            <tr>
              {heads.map((one, at) => (
                <th
                  key={at}
                  scope="col"
                  class={at > 0 && typeof all[0]?.[at] !== 'string' ? 'num' : ''}
                  dir="auto"
                >
                  {one}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <tr key={begin + at}>
                {row.map((one, column) => (
                  <td key={column} class={column > 0 ? 'num' : ''} dir="auto">
                    {one ?? <span class="dimmer">{texts.nothing}</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {all.length > shownAtOnce && (
        <footer class="row wrap">
          <span class="grow">{texts.rows(begin + 1, begin + shown.length, all.length)}</span>
          <button
            type="button"
            class="btn sm"
            disabled={begin === 0}
            onClick={() => {
              first.value = Math.max(0, begin - shownAtOnce)
            }}
          >
            {texts.earlier}
          </button>
          <button
            type="button"
            class="btn sm"
            disabled={begin + shownAtOnce >= all.length}
            onClick={() => {
              first.value = begin + shownAtOnce
            }}
          >
            {texts.later}
          </button>
        </footer>
      )}
    </>
  )
}
