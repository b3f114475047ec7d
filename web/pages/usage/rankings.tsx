import { ChartPanel } from '../../charts/chart-panel.tsx'
import type { Ranked } from '../../charts/rank-list.tsx'
import { RankList, saveRankPicture } from '../../charts/rank-list.tsx'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownNumber, shownShare } from '../../components/formats.ts'
import { Failed, Loading } from '../../components/states.tsx'
import { setQuery } from '../../lib/router.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import type { Amount, Filters } from './ask-metric.ts'
import { amountsBy, askMetric, metricCalls } from './ask-metric.ts'
import type { Choices, Windows } from './choices.ts'
import { shownName } from './names.ts'
import { layerAddress } from './sentence.tsx'
import { filtersOf } from './series.ts'

interface Props {
  choices: Choices
  windows: Windows
}

/** Layers, programs and countries by their requests. */
export function Rankings({ choices, windows }: Props) {
  const texts = usageTexts.value
  return (
    <div class="third">
      <Ranking
        {...{ choices, windows, title: texts.layers, metric: 'request.count', none: texts.noLayers }}
        by="resource"
        filters={{ group_by: 'resource', resource_type: 'layer' }}
      />
      <Ranking
        {...{ choices, windows, title: texts.programs, metric: 'request.ua.family', none: texts.noneInTime }}
        by="label"
      />
      <Ranking
        {...{ choices, windows, title: texts.countries, metric: 'request.country', none: texts.noneInTime }}
        by="label"
      />
    </div>
  )
}

interface RankingProps extends Props {
  title: string
  metric: string
  by: 'resource' | 'label'
  filters?: Filters
  none: string
}

interface RankedAmounts {
  amounts: Amount[]
  /** By key. */
  before: Map<string, number>
}

function Ranking({ choices, windows, title, metric, by, filters = {}, none }: RankingProps) {
  const { window, before } = windows
  // A value of another metric is not a value of this one.
  const { label: _label, ...own } = filtersOf(choices)
  const all = { ...own, ...filters }
  const key = JSON.stringify([window, metric, all, choices.isCompared])
  const answer = useAnswer(
    key,
    async (signal): Promise<RankedAmounts> => {
      const earlier = { from: before[0]?.from ?? window.from, to: before.at(-1)?.to ?? window.to }
      const [now, then] = await Promise.all([
        askMetric(metric, [window], all, signal),
        choices.isCompared ? askMetric(metric, [earlier], all, signal) : undefined,
      ])
      const amounts = amountsBy(now.rows[0] ?? [], by, now.type)
      const old = then === undefined ? [] : amountsBy(then.rows[0] ?? [], by, then.type)
      return { amounts, before: new Map(old.map((one) => [one.key, one.value])) }
    },
    JSON.stringify([choices, metric, filters]),
  )
  const { value, error } = answer.state.value
  const entries =
    value === undefined ? [] : value.amounts.map((one) => rankedOf(one, value.before, { metric, by }))
  const rows = (): (string | number | null)[][] => [
    [title, usageTexts.value.times],
    ...entries.map(({ name, value: count }) => [name, count]),
  ]
  const first = metricCalls(metric, [window], all)[0]
  return (
    <ChartPanel
      title={title}
      isLoaded={value !== undefined}
      rows={rows}
      onPicture={() => saveRankPicture(title, entries, shownNumber)}
      foot={<footer>{first !== undefined && <CopyAsCurl call={first} />}</footer>}
    >
      {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
      {value === undefined ? (
        error === undefined && <Loading />
      ) : entries.length === 0 ? (
        <p class="body dim">{none}</p>
      ) : (
        <RankList label={title} entries={entries} shown={shownNumber} />
      )}
    </ChartPanel>
  )
}

function rankedOf(
  { key, name, value, id }: Amount,
  before: ReadonlyMap<string, number>,
  { metric, by }: Pick<RankingProps, 'metric' | 'by'>,
): Ranked {
  const old = before.get(key)
  const shown = shownName(metric, 'label', name)
  return {
    key,
    name: shown,
    value,
    aside: old === undefined || old === 0 ? '' : signedShare(value / old - 1),
    ...(by === 'resource'
      ? { href: name.startsWith('(') ? undefined : layerAddress(name) }
      : {
          onPick:
            id === undefined && !name.startsWith('(')
              ? () => setQuery({ metric, by: undefined, label: name, resource: undefined })
              : undefined,
        }),
  }
}

function signedShare(change: number): string {
  const share = shownShare(Math.abs(change))
  // No sign before what is rounded to nothing.
  const sign = Math.sign(Math.round(change * 100))
  return sign > 0 ? `+${share}` : sign < 0 ? `−${share}` : share
}
