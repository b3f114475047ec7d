import { useEffect } from 'preact/hooks'
import { shownMoment, shownNumber } from '../../../components/formats.ts'
import { Icon } from '../../../components/icon.tsx'
import { useWindow } from '../../../components/use-window.ts'
import { addressOf } from '../../../lib/base.ts'
import type { PagedRows } from '../../../lib/paged-rows.ts'
import { historyTexts, importTexts } from '../../../messages/import/texts.ts'
import { messages } from '../../../messages/messages.ts'
import type { PastImport } from './past-imports.ts'

const rowHeight = 64

const looks = new Map([
  ['COMPLETE', { icon: 'ok', kind: 'ok' }],
  ['COMPLETE_ERROR', { icon: 'bad', kind: 'bad' }],
  ['INIT_ERROR', { icon: 'bad', kind: 'bad' }],
  ['RUNNING', { icon: 'clock', kind: '' }],
  ['INIT', { icon: 'clock', kind: '' }],
])
const sourceIcons = new Map([
  ['file', 'file'],
  ['directory', 'folder'],
  ['mosaic', 'grid'],
  ['remote', 'link'],
  ['database', 'db'],
])

/** List of imports; draws the visible ones. Arrow keys move the focus. */
export function PastList({ rows, total }: { rows: PagedRows<PastImport>; total: number }) {
  const texts = historyTexts.value
  const { element, drawn } = useWindow<HTMLTableSectionElement>(() => total, rowHeight)
  const { first, end } = drawn
  useEffect(() => rows.want(first, end), [rows, first, end])
  // Those that come later are drawn then.
  void rows.changes.value
  const places = Array.from({ length: end - first }, (_, at) => first + at)
  const { column } = texts
  return (
    <div class="panel">
      <table class="past" aria-label={texts.list} aria-rowcount={total + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">{column.what}</th>
            <th scope="col">{column.state}</th>
            <th scope="col" class="num mid">
              {column.rows}
            </th>
            <th scope="col" class="wide">
              {column.output}
            </th>
            <th scope="col" class="mid">
              {column.who}
            </th>
            <th scope="col">{column.when}</th>
          </tr>
        </thead>
        <tbody ref={element} style={{ paddingTop: `${drawn.before}px`, paddingBottom: `${drawn.behind}px` }}>
          {places.map((at) => (
            <tr key={at} aria-rowindex={at + 2}>
              <Row one={rows.row(at)} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Up and down among the links of the list. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLAnchorElement }): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const links = [
    ...(event.currentTarget.closest('table')?.querySelectorAll<HTMLAnchorElement>('a.name') ?? []),
  ]
  const next = links[links.indexOf(event.currentTarget) + step]
  if (step === 0 || next === undefined) return
  event.preventDefault()
  next.focus()
}

function Row({ one }: { one: PastImport | undefined }) {
  const texts = historyTexts.value
  if (one === undefined) return <td class="dimmer">{messages.value.state.loading}</td>
  const { id, state, source, user, created, rowsLoaded, rejected, message, messages: output } = one
  const { icon, kind } = looks.get(state) ?? { icon: 'warn', kind: 'warn' }
  return (
    <>
      <td class="what">
        <Icon name={sourceIcons.get(source?.type ?? '') ?? 'upload'} />
        <div class="two">
          <a class="name" href={addressOf(`/app/imports/${id}`)} dir="auto" onKeyDown={moveFocus}>
            {titleOf(one)}
          </a>
          <span class="dim">
            {importTexts.value.name(id)} <bdi>{layersOf(one)}</bdi>
          </span>
        </div>
      </td>
      <td>
        <span class={`st ${kind}`}>
          <Icon name={icon} />
          <span>{importTexts.value.states(state)}</span>
        </span>
      </td>
      <td class="num mid two">
        <span>{shownNumber(rowsLoaded)}</span>
        {rejected > 0 && <span class="dim">{texts.setAside(rejected)}</span>}
      </td>
      <td class="wide two" title={message?.slice(0, 500)}>
        <span dir="auto">{message}</span>
        {output > 1 && <span class="dim">{texts.moreStated(output - 1)}</span>}
      </td>
      <td class="mid" dir="auto">
        {user}
      </td>
      <td>
        <time dateTime={created}>{shownMoment(new Date(created))}</time>
      </td>
    </>
  )
}

/** Returns a recognizable title. */
export function titleOf({ id, source, layers }: PastImport): string {
  return source?.name ?? layers[0] ?? importTexts.value.name(id)
}

function layersOf({ layers: [first], tasks }: PastImport): string {
  const all = Object.values(tasks).reduce((sum, count) => sum + count, 0)
  return first === undefined ? '' : `· ${historyTexts.value.layersOf(first, all - 1)}`
}
