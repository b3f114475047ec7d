import { ChartPanel } from '../../charts/chart-panel.tsx'
import { saveRankPicture } from '../../charts/rank-list.tsx'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownNumber } from '../../components/formats.ts'
import { Failed, Loading } from '../../components/states.tsx'
import { useAnswer } from '../../lib/use-answer.ts'
import { chartTexts } from '../../messages/charts/texts.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import { askMetric, metricCalls } from './ask-metric.ts'
import type { Choices, Windows } from './choices.ts'
import { hasFailed, layerAddress } from './sentence.tsx'
import { filtersOf } from './series.ts'

interface Failure {
  status: string
  layer?: string
  count: number
}

const shownMost = 12

/** Failed requests by status and path. */
export function FailedRequests({ choices, windows: { window } }: { choices: Choices; windows: Windows }) {
  const texts = usageTexts.value
  const { label: _label, ...filters } = filtersOf(choices)
  const answer = useAnswer(
    JSON.stringify([window, filters]),
    async (signal) => {
      const [whole, byLayer] = await Promise.all([
        askMetric('response.status', [window], filters, signal),
        askMetric(
          'response.status',
          [window],
          { ...filters, group_by: 'resource', resource_type: 'layer' },
          signal,
        ),
      ])
      const ofLayers = (byLayer.rows[0] ?? []).flatMap(({ label, resource, val }): Failure[] =>
        hasFailed(label) && resource !== undefined
          ? [{ status: label ?? '', layer: resource.name, count: Number(val) }]
          : [],
      )
      const others = (whole.rows[0] ?? []).flatMap(({ label, val }): Failure[] => {
        if (!hasFailed(label)) return []
        const named = ofLayers
          .filter(({ status }) => status === label)
          .reduce((sum, { count }) => sum + count, 0)
        return Number(val) > named ? [{ status: label ?? '', count: Number(val) - named }] : []
      })
      return [...ofLayers, ...others].sort((a, b) => b.count - a.count)
    },
    JSON.stringify(choices),
  )
  const { value, error } = answer.state.value
  const rows = (): (string | number)[][] => [
    [texts.answer, texts.layerAndReason, texts.times],
    ...(value ?? []).map(({ status, layer, count }) => [status, layer ?? texts.noLayer, count]),
  ]
  const requested = metricCalls('response.status', [window], { ...filters, group_by: 'resource' })[0]
  return (
    <ChartPanel
      title={texts.failedRequests}
      isLoaded={value !== undefined}
      rows={rows}
      onPicture={() =>
        saveRankPicture(
          texts.failedRequests,
          (value ?? []).map(({ status, layer, count }, at) => ({
            key: String(at),
            name: `${status} ${layer ?? texts.noLayer}`,
            value: count,
          })),
          shownNumber,
        )
      }
      foot={<footer>{requested !== undefined && <CopyAsCurl call={requested} />}</footer>}
    >
      {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
      {value === undefined ? (
        error === undefined && <Loading />
      ) : value.length === 0 ? (
        <p class="body dim">{texts.noFailures}</p>
      ) : (
        <FailureTable failures={value} />
      )}
    </ChartPanel>
  )
}

function FailureTable({ failures }: { failures: readonly Failure[] }) {
  const texts = usageTexts.value
  return (
    <section class="scroll" tabIndex={0} aria-label={chartTexts.value.tableOf(texts.failedRequests)}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.answer}</th>
            <th scope="col">{texts.layerAndReason}</th>
            <th scope="col" class="num">
              {texts.times}
            </th>
          </tr>
        </thead>
        <tbody>
          {failures.slice(0, shownMost).map(({ status, layer, count }) => (
            <tr key={`${status} ${layer}`}>
              <td>
                <span class="mono">{status}</span>
                <span class="dim small fail-status">{texts.statuses[status] ?? ''}</span>
              </td>
              <td>
                {layer === undefined ? (
                  <span class="dim">{texts.noLayer}</span>
                ) : (
                  <a class="cut cell" href={layerAddress(layer)} dir="auto" title={layer.slice(0, 300)}>
                    {layer.slice(0, 300)}
                  </a>
                )}
              </td>
              <td class="num">{shownNumber(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
