import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useWindow } from '../components/use-window.ts'
import { chartTexts } from '../messages/charts/texts.ts'
import { colourOf } from './course.ts'
import { savePicture } from './save-chart.ts'

export interface Ranked {
  key: string
  /** Full name, for searching and screen readers. */
  name: string
  /** Link of the name. */
  href?: string | undefined
  value: number
  /** Content before the value, such as its change. */
  aside?: ComponentChildren
  onPick?: (() => void) | undefined
}

interface Props {
  label: string
  entries: readonly Ranked[]
  shown(value: number): string
}

const first = 8
const rowHeight = 45

/** Names by their number, the largest first; of many, those in sight are drawn. */
export function RankList({ label, entries, shown }: Props) {
  const texts = chartTexts.value
  const isWhole = useSignal(false)
  const sought = useSignal('')
  const most = Math.max(0, ...entries.slice(0, 1).map(({ value }) => value))
  const requested = sought.value.trim().toLocaleLowerCase()
  const found =
    isWhole.value && requested !== ''
      ? entries.filter(({ name }) => name.toLocaleLowerCase().includes(requested))
      : entries
  const isMore = entries.length > first
  return (
    <div class="body rank-body">
      {isWhole.value && (
        <input
          type="search"
          class="in"
          aria-label={texts.filter}
          placeholder={texts.filter}
          value={sought.value}
          onInput={({ currentTarget }) => {
            sought.value = currentTarget.value
          }}
        />
      )}
      {isWhole.value ? (
        <WholeList label={label} entries={found} most={most} shown={shown} />
      ) : (
        <ol class="rank" aria-label={label}>
          {entries.slice(0, first).map((one) => (
            <Entry key={one.key} entry={one} most={most} shown={shown} />
          ))}
        </ol>
      )}
      {found.length === 0 && <p class="dim small">{texts.none}</p>}
      {isMore && (
        <button
          type="button"
          class="btn quiet sm"
          aria-expanded={isWhole.value}
          onClick={() => {
            isWhole.value = !isWhole.value
            sought.value = ''
          }}
        >
          {isWhole.value ? texts.fewer : texts.all(entries.length)}
        </button>
      )}
    </div>
  )
}

function WholeList({ label, entries, most, shown }: Props & { most: number }) {
  const { element, drawn } = useWindow<HTMLOListElement>(() => entries.length, rowHeight)
  return (
    <ol class="rank whole" aria-label={label} ref={element}>
      <li class="room" aria-hidden="true" style={{ height: `${drawn.before}px` }} />
      {entries.slice(drawn.first, drawn.end).map((one, at) => (
        <Entry
          key={one.key}
          entry={one}
          most={most}
          shown={shown}
          place={{ at: drawn.first + at + 1, of: entries.length }}
        />
      ))}
      <li class="room" aria-hidden="true" style={{ height: `${drawn.behind}px` }} />
    </ol>
  )
}

interface EntryProps extends Pick<Props, 'shown'> {
  entry: Ranked
  most: number
  place?: { at: number; of: number }
}

function Entry({ entry: { name, href, value, aside, onPick }, most, shown, place }: EntryProps) {
  return (
    <li {...(place && { 'aria-posinset': place.at, 'aria-setsize': place.of })}>
      {href !== undefined ? (
        <a class="cut name" href={href} dir="auto" title={name.slice(0, 300)}>
          {name.slice(0, 300)}
        </a>
      ) : onPick !== undefined ? (
        <button type="button" class="cut name" dir="auto" title={name.slice(0, 300)} onClick={onPick}>
          {name.slice(0, 300)}
        </button>
      ) : (
        <span class="cut name" dir="auto" title={name.slice(0, 300)}>
          {name.slice(0, 300)}
        </span>
      )}
      <span class="dim">{aside}</span>
      <b class="num">{shown(value)}</b>
      <span class="bar">
        <i style={{ width: `${most > 0 ? Math.max(0, (value / most) * 100) : 0}%` }} />
      </span>
    </li>
  )
}

const picturedRows = 40
const pictureWidth = 560

/** The list as a picture: its first names. */
export function saveRankPicture(
  title: string,
  entries: readonly Ranked[],
  shown: (value: number) => string,
): void {
  const rows = entries.slice(0, picturedRows)
  const most = rows[0]?.value ?? 0
  savePicture(title, { width: pictureWidth, height: rows.length * 36 }, (context) => {
    const [ink, ground, bar] = ['var(--ink)', 'var(--sunk)', 'var(--accent)'].map((one) =>
      colourOf(one, document.body),
    )
    context.font = '13px "Plex Sans", sans-serif'
    for (const [at, { name, value }] of rows.entries()) {
      const top = at * 36
      context.fillStyle = ink ?? ''
      context.textAlign = 'left'
      context.fillText(name.length > 60 ? `${name.slice(0, 60)}…` : name, 0, top + 14, pictureWidth - 100)
      context.textAlign = 'right'
      context.fillText(shown(value), pictureWidth, top + 14)
      context.fillStyle = ground ?? ''
      context.fillRect(0, top + 20, pictureWidth, 5)
      context.fillStyle = bar ?? ''
      context.fillRect(0, top + 20, most > 0 ? (value / most) * pictureWidth : 0, 5)
    }
  })
}
