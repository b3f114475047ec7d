import { useEffect, useMemo } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Spark } from '../../components/spark.tsx'
import { Refused } from '../../components/states.tsx'
import { formatNumber } from '../../lib/numbers.ts'
import { Resource } from '../../lib/resource.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { messages } from '../../messages/messages.ts'
import type { Entry } from './types.ts'

const monthSeconds = 30 * 24 * 60 * 60
const maxNamed = 5

interface Metric {
  data: { data: { data: { label?: string; sum: string }[] }[] }
}

interface Named {
  label: string
  requests: number
}

function usesCall(metric: string, id: string): Call {
  const query = { last: monthSeconds, interval: monthSeconds, resource: `layer=${id}` }
  return { path: `/monitoring/api/metric_data/${metric}`, query }
}

async function ranked(metric: string, id: string, aborted: AbortSignal): Promise<Named[]> {
  const { data } = await call<Metric>(usesCall(metric, id), aborted)
  return data.data
    .flatMap((period) => period.data)
    .map(({ label = '', sum }) => ({ label, requests: Number(sum) }))
    .sort((one, other) => other.requests - one.requests)
}

/** Usage of the layer in the last 30 days: for staff. */
export function LayerUses({ id, entry }: { id: string; entry: Entry | undefined }) {
  const texts = layerTexts.value
  const uses = useMemo(
    () =>
      new Resource(async (aborted) => {
        const [programs, countries] = await Promise.all([
          ranked('request.ua.family', id, aborted),
          ranked('request.country', id, aborted),
        ])
        return { programs, countries }
      }),
    [id],
  )
  const isUsed = (entry?.requests?.total ?? 0) > 0
  useEffect(() => {
    // A layer without requests has no counts.
    if (isUsed) void uses.load()
    return () => uses.stop()
  }, [uses, isUsed])
  const { value, error } = uses.state.value
  const { total = 0, days = [] } = entry?.requests ?? {}
  const { locale } = messages.value
  return (
    <section class="panel lay-uses" aria-label={texts.uses}>
      <header>
        <h2>{texts.uses}</h2>
        <CopyAsCurl call={usesCall('request.ua.family', id)} />
      </header>
      <div class="body stack s2">
        <p>
          <b class="big-number">{formatNumber(locale, total)}</b>{' '}
          <span class="dim">{texts.usageReported(total)}</span>
        </p>
        {total > 0 && <Spark values={days} label={texts.byDay(Math.min(...days), Math.max(...days))} />}
        <Refused error={error} />
        {value !== undefined && value.programs.length > 0 && (
          <Ranks title={texts.programs} of={value.programs.map(asProgram)} />
        )}
        {value !== undefined && value.countries.length > 0 && (
          <Ranks title={texts.countries} of={value.countries.map(asCountry)} />
        )}
      </div>
    </section>
  )
}

function Ranks({ title, of }: { title: string; of: Named[] }) {
  const { locale } = messages.value
  const all = of.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <div>
      <h3>{title}</h3>
      <ul class="rank">
        {of.slice(0, maxNamed).map(({ label, requests }) => (
          <li key={label}>
            <span class="cut" dir="auto">
              {label}
            </span>
            <b class="num">{formatNumber(locale, requests)}</b>
            <span class="num dim">
              {formatNumber(locale, requests / all, { style: 'percent', maximumFractionDigits: 0 })}
            </span>
            <span class="bar">
              <i style={{ width: `${(requests / all) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Returns the program from the last part: `Other / Other / curl 7.88`. */
function asProgram({ label, requests }: Named): Named {
  const parts = label.split(' / ').filter((part) => part !== 'Other')
  return { label: parts.at(-1) ?? layerTexts.value.unknown, requests }
}

/** By the code of the country, in the language of the page. */
function asCountry({ label, requests }: Named): Named {
  if (label === '' || label === '(none)') return { label: layerTexts.value.unknown, requests }
  try {
    const names = new Intl.DisplayNames(messages.value.locale, { type: 'region' })
    return { label: names.of(label) ?? label, requests }
  } catch {
    return { label, requests }
  }
}
