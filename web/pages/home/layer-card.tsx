import { addressOf, pathBelowBase } from '../../lib/base.ts'
import { formatTime } from '../../lib/numbers.ts'
import { messages } from '../../messages/messages.ts'
import { Icon } from '../../parts/icon.tsx'

/** A layer as `/rest/catalogue/layers` lists it. */
export interface ListedLayer {
  name: string
  workspace: string
  title: string
  kind: 'vector' | 'raster' | 'table'
  rows?: number
  srs?: string
  dateModified: string
  public: boolean
  thumbnail?: string
  problem?: { code: string; message: string }
  requests?: { total: number; days: number[] }
}

/** One layer of the catalogue: the whole card leads to it. */
export function LayerCard({ layer }: { layer: ListedLayer }) {
  const { home, locale } = messages.value
  const { workspace, name, title, rows, srs, thumbnail, requests, problem } = layer
  const changed = formatTime(locale, new Date(layer.dateModified), { day: 'numeric', month: 'short' })
  return (
    <li class="card">
      <div class="map">
        {thumbnail === undefined ? (
          <div class="nogeo">
            <Icon name="table" />
            {home.withoutMap}
          </div>
        ) : (
          <img alt="" loading="lazy" src={pictureOf(thumbnail)} />
        )}
      </div>
      <div class="tl">
        {problem !== undefined && (
          <span class="tag warn">
            <Icon name="warn" />
            {problem.message}
          </span>
        )}
        {!layer.public && (
          <span class="tag">
            <Icon name="lock" />
            {home.notPublic}
          </span>
        )}
      </div>
      <div class="txt">
        <h2 dir="auto" class="cut">
          <a href={addressOf(`/app/layers/${encodeURIComponent(`${workspace}:${name}`)}`)}>{title}</a>
        </h2>
        <p class="meta">
          <span class="mono cut" dir="auto">
            {workspace}:{name}
          </span>
        </p>
        <p class="meta">
          {rows !== undefined && <span>{home.rows(rows)}</span>}
          {srs !== undefined && <span>{srs}</span>}
          <span>{changed}</span>
        </p>
        {requests !== undefined && <p class="use">{home.requests(requests.total)}</p>}
      </div>
    </li>
  )
}

/** By the address at which the page itself is known, whatever name the server has for itself. */
function pictureOf(link: string): string {
  const { search } = new URL(link)
  return `${addressOf(pathBelowBase(link))}${search}&width=640&height=336`
}
