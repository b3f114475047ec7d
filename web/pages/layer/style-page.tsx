import { useEffect, useMemo } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { query } from '../../lib/router.ts'
import { styleTexts } from '../../messages/layer/style/texts.ts'
import { messages } from '../../messages/messages.ts'
import { RasterEditor } from './raster/raster-editor.tsx'
import { askStyles, type LayerFacts, type StylesOfLayer } from './style/available-styles.ts'
import { StyleEditor } from './style/style-editor.tsx'

interface StyledLayer {
  layer: LayerFacts
  name: string
  styles: StylesOfLayer
}

/** `/app/layers/<workspace>:<name>/style[?style=<name>]`: how a layer is drawn, and by which styles it can be. */
export function StylePage({ layer: id = '' }: Record<string, string>) {
  const texts = styleTexts.value
  const requested = query.value.get('style') ?? undefined
  const known = useMemo(
    () => new Resource<StyledLayer>((signal) => ask(id, requested, signal)),
    [id, requested],
  )
  useEffect(() => {
    void known.load()
    return () => known.stop()
  }, [known])
  const { value, error, at } = known.state.value
  const title = value?.layer.title ?? id
  const Editor = value?.layer.type === 'RASTER' ? RasterEditor : StyleEditor
  return (
    <>
      <div class="head">
        <div>
          <p class="crumb">
            <a href={addressOf('/')}>{messages.value.nav.catalogue}</a>
            <Icon name="right" />
            <a class="mono" dir="auto" href={addressOf(`/app/layers/${encodeURIComponent(id)}`)}>
              {id}
            </a>
          </p>
          <h1 class="title" dir="auto">
            {texts.title(title)}
          </h1>
        </div>
        <div class="acts">
          <CopyAsCurl
            call={{
              path: `/tiles/${encodeURIComponent(id)}/style.json`,
              ...(requested !== undefined && { query: { style: requested } }),
            }}
          />
        </div>
      </div>
      {error !== undefined && <Failed error={error} onAgain={() => void known.load()} />}
      {value === undefined && error === undefined && <Loading />}
      {value !== undefined && (
        <Editor key={`${value.name} ${at}`} id={id} {...value} onKept={() => known.load()} />
      )}
    </>
  )
}

async function ask(id: string, requested: string | undefined, signal: AbortSignal): Promise<StyledLayer> {
  const { layer } = await call<{ layer: LayerFacts }>(
    { path: `/rest/layers/${encodeURIComponent(id)}` },
    signal,
  )
  const name = requested ?? layer.defaultStyle.name
  return { layer, name, styles: await askStyles(id, layer, name, signal) }
}
