import { shownDate, shownMoment, shownNumber } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { setQuery } from '../../lib/router.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import type { Choices, Windows } from './choices.ts'
import { spans } from './choices.ts'
import { askMeasured, hoursOf } from './gaps.ts'
import { zone } from './sentence.tsx'

interface Props {
  choices: Choices
  windows: Windows
}

const hourMs = 3_600_000

/** Shown period, and notes on its numbers. */
export function WindowChoices({ choices, windows }: Props) {
  const texts = usageTexts.value
  return (
    <div class="bar-filter">
      <fieldset class="seg wrap-seg" aria-label={texts.span}>
        {spans.map((span) => (
          <button
            key={span}
            type="button"
            aria-pressed={choices.span === span && choices.zoom === undefined}
            onClick={() =>
              setQuery(
                {
                  span: span === '30d' ? undefined : span,
                  zoom: undefined,
                  ...(span === 'range' ? {} : { from: undefined, to: undefined }),
                },
                { isReplaced: false },
              )
            }
          >
            {span === 'range' && <Icon name="calendar" />}
            {texts.spans[span]}
          </button>
        ))}
      </fieldset>
      {choices.span === 'range' && <Range {...choices} window={windows.window} />}
      <button
        type="button"
        class="chip"
        aria-pressed={choices.isCompared}
        onClick={() => setQuery({ compare: choices.isCompared ? 'no' : undefined })}
      >
        {texts.compare}
      </button>
      <button
        type="button"
        class="chip"
        aria-pressed={choices.isWithPages}
        title={texts.withPagesListed}
        onClick={() => setQuery({ pages: choices.isWithPages ? undefined : 'yes' })}
      >
        {texts.withPages}
      </button>
      <FilterChips {...choices} />
      <Facts windows={windows} />
    </div>
  )
}

function dayText(time: number): string {
  const date = new Date(time)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

function Range({ window }: Choices & { window: Windows['window'] }) {
  const texts = usageTexts.value
  const fields = [
    { name: 'from', label: texts.firstDay, value: dayText(window.from) },
    { name: 'to', label: texts.lastDay, value: dayText(window.to - 1) },
  ]
  return fields.map(({ name, label, value }) => (
    <label key={name} class="row range-day">
      <span class="small dim">{label}</span>
      <input
        type="date"
        class="in"
        value={value}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value, zoom: undefined })}
      />
    </label>
  ))
}

function FilterChips({ service, resource, label, event }: Choices) {
  const texts = usageTexts.value
  const filters = { service, resource, label, event }
  return Object.entries(filters).flatMap(([name, value]) => {
    if (value === undefined) return []
    const shown = name === 'resource' ? value.replace(/^\d+ /, '') : value
    return [
      <button
        key={name}
        type="button"
        class="chip filter-chip"
        aria-pressed="true"
        aria-label={texts.without(shown.slice(0, 200))}
        onClick={() => setQuery({ [name]: undefined })}
      >
        <span class="cut" dir="auto">
          {shown.slice(0, 200)}
        </span>
        <Icon name="x" />
      </button>,
    ]
  })
}

/** The time zone, days that are longer or shorter, and when nothing was measured. */
function Facts({ windows }: Pick<Props, 'windows'>) {
  const texts = usageTexts.value
  const { window, step, periods } = windows
  const measured = useAnswer(`${window.from} ${window.to}`, (signal) => askMeasured(window, signal)).value
  const odd = step === 'day' ? periods.slice(1, -1).filter(({ from, to }) => to - from !== 24 * hourMs) : []
  const gaps = measured?.gaps ?? []
  return (
    <div class="small dim facts">
      <span>{texts.zone(zone)}</span>
      {odd.map(({ from, to }) => (
        <span key={from}>{texts.oddDay(shownDate(new Date(from)), shownNumber((to - from) / hourMs))}</span>
      ))}
      {measured?.since !== undefined && (
        <span>{texts.countedSince(shownMoment(new Date(measured.since)))}</span>
      )}
      {measured !== undefined &&
        (gaps.length === 0 ? (
          <span>{texts.noGaps}</span>
        ) : (
          <details>
            <summary>{texts.gaps(gaps.length, `${shownNumber(hoursOf(gaps))} h`)}</summary>
            <ul aria-label={texts.gapList}>
              {gaps.slice(0, 20).map(({ from, to }) => (
                <li key={from}>
                  {shownMoment(new Date(from))} – {shownMoment(new Date(to))}
                </li>
              ))}
            </ul>
          </details>
        ))}
    </div>
  )
}
