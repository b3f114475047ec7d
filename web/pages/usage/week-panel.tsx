import { ChartPanel } from '../../charts/chart-panel.tsx'
import { saveHeatPicture, WeekHeat } from '../../charts/week-heat.tsx'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownAmount, weekdayNames } from '../../components/formats.ts'
import { Failed, Loading } from '../../components/states.tsx'
import { dayStart, daysLater, periodsBetween } from '../../lib/day-periods.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { chartTexts } from '../../messages/charts/texts.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import { amountOf, askMetric, metricCalls } from './ask-metric.ts'
import type { Choices, Windows } from './choices.ts'
import { askBegan } from './gaps.ts'
import { filtersOf } from './series.ts'
import { daysSince, hoursOfDay, hoursOfWeek } from './week-hours.ts'

const maxDays = 28
const minDays = 7
const dayMs = 86_400_000

/** Requests by hour of the week here, the mean of some weeks; of a short window, the week up to its end. */
export function WeekPanel({ choices, windows: { window } }: { choices: Choices; windows: Windows }) {
  const texts = usageTexts.value
  const { label: _label, ...filters } = filtersOf(choices)
  const days = Math.min(maxDays, Math.max(minDays, Math.round((window.to - window.from) / dayMs)))
  const span = { from: dayStart(daysLater(window.to, -days)), to: window.to }
  const periods = periodsBetween(span, 'hour')
  const answer = useAnswer(
    JSON.stringify([span, filters]),
    async (signal) => {
      const [{ rows, type }, began] = await Promise.all([
        askMetric('request.count', periods, filters, signal),
        askBegan(span, periods, signal),
      ])
      const counted = rows.map((own) => amountOf(own, type) ?? 0)
      return { hours: hoursOfWeek(periods, counted, began), days: daysSince(periods, began) }
    },
    JSON.stringify(choices),
  )
  const { value: found, error } = answer.state.value
  const value = found?.hours
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
          <span class="grow">{texts.weekMean(found?.days ?? days)}</span>
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
