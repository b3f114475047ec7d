import { useEffect, useMemo } from 'preact/hooks'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { query, setQuery } from '../../lib/router.ts'
import { messages } from '../../messages/messages.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { isStaff, session } from '../../session/session.ts'
import { type Call, call } from '../../wire/client.ts'
import { LayerCard, type ListedLayer } from './layer-card.tsx'

interface LayerPage {
  layers: ListedLayer[]
  total: number
}

function listCall(words: string): Call {
  return { path: '/rest/catalogue/layers', query: { q: words === '' ? undefined : words, limit: 60 } }
}

/** `/`: what is published. `?q=` are words to find. */
export function HomePage() {
  const texts = messages.value.home
  const words = query.value.get('q') ?? ''
  const layers = useMemo(
    () => new Resource<LayerPage>((signal) => call(listCall(query.peek().get('q') ?? ''), signal)),
    [],
  )
  const who = session.value?.user
  useEffect(() => {
    if (session.peek() !== undefined) void layers.load()
  }, [layers, who, words, session.value === undefined])
  const { value, error } = layers.state.value
  return (
    <>
      <div class="head">
        <div>
          <h1 class="vh">{texts.title}</h1>
          <p class="lead" role="status">
            {value === undefined ? '' : texts.layers(value.total)}
          </p>
        </div>
        <div class="acts">
          <CopyAsCurl call={listCall(words)} />
          {isStaff.value && (
            <a class="btn main" href={addressOf('/app/import')}>
              <Icon name="upload" />
              {texts.importData}
            </a>
          )}
        </div>
      </div>
      <div class="bar-filter">
        <div class="withicon">
          <Icon name="search" />
          <input
            class="in"
            type="search"
            aria-label={texts.find}
            placeholder={texts.findHint}
            value={words}
            onInput={(event) => setQuery({ q: event.currentTarget.value })}
          />
        </div>
      </div>
      {error !== undefined && <Failed error={error} onAgain={() => void layers.load()} />}
      {value === undefined && error === undefined && <Loading />}
      {value?.layers.length === 0 && (
        <Empty title={words === '' ? texts.empty : texts.nothingFound}>
          {words === '' && <p class="dim">{texts.emptyText}</p>}
        </Empty>
      )}
      <ul class="cards">
        {value?.layers.map((layer) => (
          <LayerCard key={`${layer.workspace}:${layer.name}`} layer={layer} />
        ))}
      </ul>
    </>
  )
}
