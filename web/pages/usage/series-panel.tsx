import { useMemo } from 'preact/hooks'
import { ChartPanel } from '../../charts/chart-panel.tsx'
import type { Course } from '../../charts/course.ts'
import { LineSign, SeriesChart } from '../../charts/series-chart.tsx'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownAmount, shownDate, shownMoment, shownTick, shownTime } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import type { Period, PeriodStep } from '../../lib/day-periods.ts'
import { setQuery } from '../../lib/router.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { chartTexts } from '../../messages/charts/texts.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import { isStaff } from '../../session/session.ts'
import { metricCalls } from './ask-metric.ts'
import type { Choices, Windows } from './choices.ts'
import { groupings, zoomText } from './choices.ts'
import type { Metric, Service } from './metrics.ts'
import { metricTitle } from './names.ts'
import type { SeriesResult } from './series.ts'
import { askSeries, countsDifferent, maxParts, wholeOf } from './series.ts'

interface Props {
  choices: Choices
  windows: Windows
  at: number
  metric: Metric
  known: readonly Metric[]
  services: readonly Service[]
}

/** Any metric over time, whole or in its largest parts. */
export function SeriesPanel({ choices, windows, metric, known, services }: Props) {
  const texts = usageTexts.value
  const names = services.map(({ name }) => name)
  const key = JSON.stringify([choices, windows.window, metric.name, texts.now])
  const answer = useAnswer(
    key,
    (signal) => askSeries(metric, choices, windows, names, signal),
    JSON.stringify([choices, metric.name, texts.now]),
  )
  const { value, error } = answer.state.value
  const picture: { save?: (title: string) => void } = useMemo(() => ({}), [])
  const title = titleOf(metric, choices, windows.step)
  const { grouping } = choices
  return (
    <ChartPanel
      title={title}
      isLoaded={value !== undefined}
      rows={() => (value === undefined ? [] : csvRows(value.course))}
      shownRows={() => (value === undefined ? [] : shownRows(value.course, windows.step))}
      onPicture={() => picture.save?.(title)}
      head={
        <>
          <Choosers metric={metric} known={known} grouping={grouping} />
          {isStaff.value && (
            <a
              class="btn quiet sm"
              href={addressOf(`/app/alerts/new?metric=${encodeURIComponent(metric.name)}`)}
            >
              <Icon name="bell" />
              {texts.alert}
            </a>
          )}
        </>
      }
      foot={
        <footer class="row wrap">
          <span class="grow">
            {value !== undefined && <Sums found={value} metric={metric} choices={choices} />}
          </span>
          <CopyAsCurl
            call={() =>
              metricCalls(metric.name, windows.periods, wholeOf(metric, choices))[0] ?? {
                path: '/monitoring/api/metrics',
              }
            }
          />
        </footer>
      }
    >
      {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
      {value === undefined ? (
        error === undefined && <Loading />
      ) : value.course.lines.length === 0 ? (
        <p class="body dim">{texts.noParts}</p>
      ) : (
        <>
          <Legend course={value.course} span={choices.span} />
          <SeriesChart
            label={title}
            course={value.course}
            shown={(one) => shownAmount(one, value.course.unit)}
            shownPeriod={(period) => shownPeriod(period, windows.step)}
            shownTick={shownTick}
            onZoom={(period) => setQuery({ zoom: zoomText(period) }, { isReplaced: false })}
            onZoomOut={choices.zoom && (() => setQuery({ zoom: undefined }, { isReplaced: false }))}
            picture={picture}
          />
        </>
      )}
      {choices.zoom !== undefined && <Zoomed zoom={choices.zoom} />}
    </ChartPanel>
  )
}

function Zoomed({ zoom: { from, to } }: { zoom: Period }) {
  return (
    <p class="zoomed">
      <span class="dim small">
        {shownMoment(new Date(from))} – {shownMoment(new Date(to))}
      </span>
      <button
        type="button"
        class="btn sm"
        onClick={() => setQuery({ zoom: undefined }, { isReplaced: false })}
      >
        <Icon name="undo" />
        {chartTexts.value.zoomOut}
      </button>
    </p>
  )
}

function titleOf(metric: Metric, { grouping }: Choices, step: PeriodStep): string {
  const texts = usageTexts.value
  const title = texts.per[step](metricTitle(metric.name))
  return grouping === 'none' ? title : texts.byParts(title, texts.groupings[grouping])
}

function Choosers({ metric, known, grouping }: Pick<Props, 'metric' | 'known'> & Pick<Choices, 'grouping'>) {
  const texts = usageTexts.value
  const groups = [
    { label: texts.ofRequests, own: known.filter(({ isOfHosts, name }) => !isOfHosts && name !== 'request') },
    { label: texts.ofHosts, own: known.filter(({ isOfHosts }) => isOfHosts) },
  ]
  const canSplit = (one: string): boolean =>
    !(metric.isOfHosts && (one === 'layer' || one === 'event')) &&
    !(one === 'label' && !metric.isLabelled && !/^(storage|network|log)/.test(metric.name))
  return (
    <>
      <select
        class="in chooser"
        aria-label={texts.metric}
        value={metric.name}
        onChange={({ currentTarget }) =>
          setQuery({ metric: currentTarget.value, by: undefined, label: undefined })
        }
      >
        {groups.map(({ label, own }) => (
          <optgroup key={label} label={label}>
            {own.map(({ name }) => (
              <option key={name} value={name}>
                {metricTitle(name)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <select
        class="in chooser"
        aria-label={texts.grouping}
        value={grouping}
        onChange={({ currentTarget: { value } }) => setQuery({ by: value === 'none' ? undefined : value })}
      >
        {groupings.filter(canSplit).map((one) => (
          <option key={one} value={one}>
            {texts.groupings[one]}
          </option>
        ))}
      </select>
    </>
  )
}

function Legend({ course, span }: { course: Course; span: Choices['span'] }) {
  const texts = usageTexts.value
  return (
    <p class="chart-legend body-top">
      {course.lines.map(({ name, kind }, index) => (
        <span key={index} class="cut" dir="auto">
          <LineSign lines={course.lines} index={index} />{' '}
          {kind === 'before' ? texts.beforeOf[span] : name.slice(0, 200)}
        </span>
      ))}
    </p>
  )
}

/** Totals of the window, and notes on the numbers. */
function Sums({ found, metric, choices }: { found: SeriesResult; metric: Metric; choices: Choices }) {
  const texts = usageTexts.value
  const { course, total, totalBefore, resolution, parts } = found
  const shown = (value: number): string => shownAmount(value, course.unit)
  const isMean = metric.type === 'rate'
  const reported =
    total === null
      ? undefined
      : metric.isLabelled
        ? texts.different(shown(total))
        : isMean
          ? texts.mean(shown(total))
          : texts.total(shown(total))
  const before =
    totalBefore === null
      ? undefined
      : isMean
        ? texts.meanBefore(shown(totalBefore))
        : texts.totalBefore(shown(totalBefore))
  const lines = [
    [reported, before].filter((one) => one !== undefined).join(', '),
    countsDifferent(metric, choices) && choices.grouping !== 'label' ? texts.pagesIncluded : '',
    parts > maxParts ? texts.partsLeft(maxParts, parts) : '',
    resolution === undefined ? '' : texts.coarse(resolution / 3600),
  ]
  return lines.filter((one) => one !== '').join(' · ')
}

function shownPeriod({ from, to }: Period, step: PeriodStep): string {
  const begin = new Date(from)
  return step === 'day' ? shownDate(begin) : `${shownMoment(begin)} – ${shownTime(new Date(to))}`
}

function csvRows({ periods, lines }: Course): (string | number | null)[][] {
  const heads = ['from', 'to', ...lines.map(({ name }) => name)]
  const rows = periods.map(({ from, to }, at) => [
    new Date(from).toISOString(),
    new Date(to).toISOString(),
    ...lines.map(({ values }) => values[at] ?? null),
  ])
  return [heads, ...rows]
}

function shownRows({ periods, lines, unit }: Course, step: PeriodStep): (string | null)[][] {
  const heads = [chartTexts.value.from, ...lines.map(({ name }) => name)]
  const rows = periods.map((period, at) => [
    shownPeriod(period, step),
    ...lines.map(({ values }) => {
      const value = values[at] ?? null
      return value === null ? null : shownAmount(value, unit)
    }),
  ])
  return [heads, ...rows]
}
