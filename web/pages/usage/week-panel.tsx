import { ChartPanel } from '../../charts/chart-panel.tsx'
import type { WeekHours } from '../../charts/week-heat.tsx'
import { saveHeatPicture, WeekHeat } from '../../charts/week-heat.tsx'
import { dayStart, daysLater, type Period, periodsBetween } from '../../lib/day-periods.ts'
import { chartTexts } from '../../messages/charts/texts.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { shownAmount, weekdayNames } from '../../parts/formats.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { amountOf, askMetric, metricCalls } from './ask-metric.ts'
import type { Choices, Windows } from './choices.ts'
import { filtersOf } from './series.ts'
import { useAnswer } from './use-answer.ts'

const mostDays = 28
const leastDays = 7
const dayMs = 86_400_000
const daysOfWeek = 7
const hoursOfDay = 24

/** Requests by hour of the week here, the mean of some weeks; of a short window, the week up to its end. */
export function WeekPanel({ choices, windows: { window } }: { choices: Choices; windows: Windows }) {
  const texts = usageTexts.value
  const { label: _label, ...filters } = filtersOf(choices)
  const days = Math.min(mostDays, Math.max(leastDays, Math.round((window.to - window.from) / dayMs)))
  const span = { from: dayStart(daysLater(window.to, -days)), to: window.to }
  const periods = periodsBetween(span, 'hour')
  const answer = useAnswer(
    JSON.stringify([span, filters]),
    async (signal) => {
      const { rows, type } = await askMetric('request.count', periods, filters, signal)
      return hoursOfWeek(
        periods,
        rows.map((own) => amountOf(own, type) ?? 0),
      )
    },
    JSON.stringify(choices),
  )
  const { value, error } = answer.state.value
  const names = weekdayNames()
  const shown = (one: number): string => shownAmount(one, 'Count')
  return (
    <ChartPanel
      title={texts.week}
      isLoaded={value !== undefined}
      rows={() => [
        [chartTexts.value.weekday, ...Array.from({ length: hoursOfDay }, (_, hour) => String(hour))],
        ...(value ?? []).map((row, day) => [names[day] ?? '', ...row]),
      ]}
      shownRows={() => [
        [chartTexts.value.weekday, ...Array.from({ length: hoursOfDay }, (_, hour) => String(hour))],
        ...(value ?? []).map((row, day) => [
          names[day] ?? '',
          ...row.map((one) => (one === null ? null : shown(one))),
        ]),
      ]}
      onPicture={() => value !== undefined && saveHeatPicture(texts.week, names, value)}
      foot={
        <footer class="row wrap">
          <span class="grow">{texts.weekMean(days)}</span>
          <CopyAsCurl
            call={() =>
              metricCalls('request.count', periods, filters)[0] ?? { path: '/monitoring/api/metrics' }
            }
          />
        </footer>
      }
    >
      {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
      {value === undefined ? (
        error === undefined && <Loading />
      ) : (
        <WeekHeat label={texts.week} days={names} values={value} shown={shown} />
      )}
    </ChartPanel>
  )
}

/** The mean of each hour of the week; an hour that clocks show twice counts twice. */
function hoursOfWeek(periods: readonly Period[], values: readonly number[]): WeekHours {
  const sums = Array.from({ length: daysOfWeek }, () => new Array<number>(hoursOfDay).fill(0))
  const times = Array.from({ length: daysOfWeek }, () => new Array<number>(hoursOfDay).fill(0))
  for (const [at, { from }] of periods.entries()) {
    const date = new Date(from)
    const day = (date.getDay() + daysOfWeek - 1) % daysOfWeek
    const [own, count] = [sums[day], times[day]]
    if (own === undefined || count === undefined) continue
    own[date.getHours()] = (own[date.getHours()] ?? 0) + (values[at] ?? 0)
    count[date.getHours()] = (count[date.getHours()] ?? 0) + 1
  }
  return sums.map((row, day) =>
    row.map((sum, hour) => {
      const count = times[day]?.[hour] ?? 0
      return count === 0 ? null : sum / count
    }),
  )
}
