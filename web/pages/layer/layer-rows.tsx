import { useEffect, useMemo } from 'preact/hooks'
import { formatNumber } from '../../lib/numbers.ts'
import { Resource } from '../../lib/resource.ts'
import { query, setQuery } from '../../lib/router.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { messages } from '../../messages/messages.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { type Call, call } from '../../wire/client.ts'

interface Items {
  features: { id?: string | number; properties: Record<string, unknown> }[]
  numberMatched?: number
}

const pageRows = 50

/** The rows of a layer, page by page; `?from=` is the number of the first one that is shown. */
export function LayerRows({ id }: { id: string }) {
  const texts = layerTexts.value
  const { locale } = messages.value
  const from = Math.max(0, Number(query.value.get('from') ?? 0) || 0)
  const asked = (offset: number): Call => ({
    path: `/ogc/collections/${id}/items`,
    query: { limit: pageRows, offset },
  })
  const items = useMemo(() => new Resource<Items>((aborted) => call(asked(from), aborted)), [id, from])
  useEffect(() => {
    void items.load()
    return () => items.stop()
  }, [items])
  const { value, error } = items.state.value
  const names = [...new Set((value?.features ?? []).flatMap(({ properties }) => Object.keys(properties)))]
  const last = from + (value?.features.length ?? 0)
  return (
    <section class="panel">
      <header>
        <h2>{texts.table}</h2>
        {value !== undefined && (
          <span class="dim">{texts.shown(from + 1, last, value.numberMatched ?? last)}</span>
        )}
        <button
          type="button"
          class="btn sm"
          disabled={from === 0}
          onClick={() => setQuery({ from: String(Math.max(0, from - pageRows)) })}
        >
          {texts.before}
        </button>
        <button
          type="button"
          class="btn sm"
          disabled={value === undefined || last >= (value.numberMatched ?? 0)}
          onClick={() => setQuery({ from: String(last) })}
        >
          {texts.after}
        </button>
        <CopyAsCurl call={asked(from)} />
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => void items.load()} />}
      {value === undefined && error === undefined && <Loading />}
      {value !== undefined && (
        <section class="scroll" tabIndex={0} aria-label={texts.table}>
          <table class="rows">
            <thead>
              <tr>
                {names.map((name) => (
                  <th key={name} scope="col" dir="auto">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {value.features.map(({ id: key, properties }, index) => (
                <tr key={key ?? index}>
                  {names.map((name) => (
                    <Cell key={name} value={properties[name]} locale={locale} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  )
}

function Cell({ value, locale }: { value: unknown; locale: string }) {
  if (value === null || value === undefined) return <td />
  if (typeof value === 'number')
    return (
      <td class="num">{formatNumber(locale, value, { maximumFractionDigits: 10, useGrouping: false })}</td>
    )
  return (
    <td dir="auto">
      <span class="cell">{typeof value === 'object' ? JSON.stringify(value) : String(value)}</span>
    </td>
  )
}
