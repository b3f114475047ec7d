import { useEffect, useMemo } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { ChartPanel } from '../../charts/chart-panel.tsx'
import type { Course } from '../../charts/course.ts'
import { SeriesChart } from '../../charts/series-chart.tsx'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownAmount, shownMoment, shownTick } from '../../components/formats.ts'
import { Failed, Loading } from '../../components/states.tsx'
import { Resource } from '../../lib/resource.ts'
import { alertTexts } from '../../messages/alerts/texts.ts'
import type { Clause } from './alert-sentence.tsx'
import type { FieldDraft } from './draft.ts'

type Reply = Calls['GET /monitoring/api/metric_data/{metric}']['answer']['data']

interface Props {
  clause: Clause
  metric: string
  field: FieldDraft
  windowMinutes: string
  onMove(value: string): void
}

const daySeconds = 86_400
const quarterMinutes = 15

/** The numbers that a threshold is compared with, and the threshold as a line that may be moved. */
export function AlertChart({ clause, metric, field, windowMinutes, onMove }: Props) {
  const texts = alertTexts.value
  const minutes = Math.min(1440, Math.max(1, Math.round(Number(windowMinutes)) || 1))
  const isLong = minutes > quarterMinutes
  const requested = callOf(metric, field, minutes * 60, isLong ? 7 * daySeconds : daySeconds)
  const answer = useMemo(
    () =>
      new Resource<Course>(async (signal) =>
        courseOf((await call<{ data: Reply }>(requested, signal)).data, clause),
      ),
    [JSON.stringify(requested), clause.option],
  )
  useEffect(() => {
    // The reader may still be typing.
    const timer = setTimeout(() => void answer.load(), answer.state.peek().isLoading ? 0 : 150)
    return () => {
      clearTimeout(timer)
      answer.stop()
    }
  }, [answer])
  const picture: { save?: (title: string) => void } = useMemo(() => ({}), [])
  const { value: course, error } = answer.state.value
  const title = isLong ? texts.chartWeek(clause.title) : texts.chart(clause.title)
  const values = course?.lines[0]?.values ?? []
  const measured = values.filter((one) => one !== null)
  const limit = field.value.trim() === '' ? undefined : Number(field.value)
  const beyond = measured.filter((one) => limit !== undefined && breaks(one, limit, clause.option)).length
  const shown = (value: number): string => shownAmount(value, clause.unit)
  const isGauge = course !== undefined && course.lines[0]?.kind === 'part'
  return (
    <ChartPanel
      title={title}
      isLoaded={course !== undefined}
      rows={() => rowsOf(course, clause.title)}
      onPicture={() => picture.save?.(title)}
      foot={
        <footer class="row wrap">
          <span class="grow">
            {course !== undefined &&
              limit !== undefined &&
              Number.isFinite(limit) &&
              `${texts.overTimes(beyond, measured.length)} `}
            {isGauge && (clause.option === 'min_value' ? texts.gaugeLeast : texts.gaugeMost)}
          </span>
          <CopyAsCurl call={requested} />
        </footer>
      }
      head={<span class="small dim">{limit !== undefined && texts.dragHint}</span>}
    >
      {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
      {course === undefined ? (
        error === undefined && <Loading />
      ) : measured.length === 0 ? (
        <p class="body dim">{texts.noValues}</p>
      ) : (
        <SeriesChart
          label={title}
          course={course}
          shown={shown}
          shownPeriod={({ from }) => shownMoment(new Date(from))}
          shownTick={shownTick}
          picture={picture}
          limit={
            limit === undefined || !Number.isFinite(limit)
              ? undefined
              : {
                  value: limit,
                  step: stepOf(clause, Math.max(limit, ...measured)),
                  least: Number(clause.least ?? 0),
                  most: clause.most === null ? undefined : Number(clause.most),
                  label: texts.lineLabel(clause.title),
                  text: texts.line(texts.comparisons[clause.option] ?? '', shown(limit)),
                  onMove: (value) => onMove(String(value)),
                }
          }
        />
      )}
    </ChartPanel>
  )
}

function callOf(
  metric: string,
  { service, resource, label }: FieldDraft,
  interval: number,
  last: number,
): Call {
  return {
    path: `/monitoring/api/metric_data/${encodeURIComponent(metric)}`,
    query: {
      last: Math.floor(last / interval) * interval,
      interval,
      service: service || undefined,
      resource: resource.trim() || undefined,
      label: label || undefined,
    },
  }
}

/**
 * Returns one value per period, as the check compares it: of several hosts and disks the one that violates
 * the limit most.
 */
function courseOf({ type, axis_label: unit, data, metric }: Reply, { option }: Clause): Course {
  const isGauge = type === 'rate' && !metric.startsWith('response.')
  const values = data.map(({ data: rows }) => {
    const numbers = rows.map(({ val }) => Number(val))
    if (numbers.length === 0) return type === 'rate' ? null : 0
    if (isGauge) return option === 'min_value' ? Math.min(...numbers) : Math.max(...numbers)
    if (type !== 'rate') return numbers.reduce((sum, one) => sum + one, 0)
    const samples = rows.reduce((sum, row) => sum + row.samples_count, 0)
    return rows.reduce((sum, row) => sum + Number(row.val) * row.samples_count, 0) / samples
  })
  const periods = data.map(({ valid_from: from, valid_to: to }) => ({
    from: Date.parse(from),
    to: Date.parse(to),
  }))
  return { periods, unit, lines: [{ name: alertTexts.value.metric, kind: isGauge ? 'part' : 'now', values }] }
}

function breaks(value: number, limit: number, option: Clause['option']): boolean {
  return option === 'min_value' ? value < limit : value > limit
}

/** The choices of a field, or a step that suits the values. */
function stepOf({ choices, unit }: Clause, most: number): number {
  const [first, second] = (choices ?? []).map(Number)
  if (first !== undefined && second !== undefined && second > first) return second - first
  if (unit === '%' || (unit === 'Count' && most < 1000)) return 1
  return 10 ** Math.max(-2, Math.floor(Math.log10(Math.max(most, 0.1))) - 2)
}

function rowsOf(course: Course | undefined, title: string): (string | number | null)[][] {
  const rows = (course?.periods ?? []).map(({ from }, at) => [
    new Date(from).toISOString(),
    course?.lines[0]?.values[at] ?? null,
  ])
  return [['from', title], ...rows]
}
