import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { shownDay, shownNumber } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { Empty, Failed, Loading, Refused } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { useActing } from '../../components/use-acting.ts'
import { addressOf } from '../../lib/base.ts'
import { mapTexts } from '../../messages/map/texts.ts'
import { isStaff, session } from '../../session/session.ts'
import { mapsPath, removeMap } from './saved-map.ts'

type Summary = Calls['GET /rest/maps']['answer']['maps'][number]

/** `/app/maps`: the maps that the reader may open. */
export function SavedMapsPage() {
  const texts = mapTexts.value
  const { maps, error, again } = useMaps()
  const removed = useSignal<Summary | undefined>(undefined)
  return (
    <>
      <div class="head">
        <div>
          <h1 class="title">{texts.maps}</h1>
          <p class="dim">{texts.mapsHint}</p>
        </div>
        <div class="acts">
          <CopyAsCurl call={{ path: mapsPath }} />
          <a class="btn main" href={addressOf('/app/map')}>
            <Icon name="plus" />
            {texts.newMap}
          </a>
        </div>
      </div>
      {error !== undefined && <Failed error={error} onAgain={again} />}
      {maps === undefined && error === undefined && <Loading />}
      {maps?.length === 0 && (
        <Empty title={texts.noMaps}>
          <p>{session.value == null ? texts.noMapsAnonymous : texts.noMapsHint}</p>
        </Empty>
      )}
      {maps !== undefined && maps.length > 0 && (
        <MapTable
          maps={maps}
          onRemove={(map) => {
            removed.value = map
          }}
        />
      )}
      {removed.value !== undefined && (
        <RemoveMap
          map={removed.value}
          onClose={() => {
            removed.value = undefined
          }}
          onDone={again}
        />
      )}
    </>
  )
}

function useMaps() {
  const [maps, setMaps] = useState<Summary[]>()
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const user = session.value?.user
  useEffect(() => {
    const asking = new AbortController()
    setError(undefined)
    call<{ maps: Summary[] }>({ path: mapsPath }, asking.signal).then(
      (reply) => setMaps(reply.maps),
      (reason: unknown) => {
        if (!asking.signal.aborted) setError(reason)
      },
    )
    return () => asking.abort()
  }, [tries, user])
  return { maps, error, again: () => setTries(tries + 1) }
}

function MapTable({ maps, onRemove }: { maps: readonly Summary[]; onRemove(map: Summary): void }) {
  const texts = mapTexts.value
  return (
    <section class="panel scroll" aria-label={texts.maps}>
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.mapTitle}</th>
            <th>{texts.owner}</th>
            <th>{texts.seenBy}</th>
            <th class="num">{texts.layerCount}</th>
            <th class="wide">{texts.changed}</th>
            <th>
              <span class="vh">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {maps.map((map) => (
            <MapRow key={map.name} map={map} onRemove={onRemove} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function MapRow({ map, onRemove }: { map: Summary; onRemove(map: Summary): void }) {
  const texts = mapTexts.value
  const { name, title, owner, layers, dateModified } = map
  const mayRemove = isStaff.value || (owner !== null && owner === session.value?.user)
  return (
    <tr>
      <td>
        <a href={addressOf(`/app/map?map=${encodeURIComponent(name)}`)} dir="auto">
          {title}
        </a>
      </td>
      <td data-l={texts.owner} dir="auto">
        {owner ?? texts.noOwner}
      </td>
      <td data-l={texts.seenBy}>
        <span class="st">
          <Icon name={map.public ? 'globe' : 'lock'} />
          {map.public ? texts.everybody : texts.ownerOnly}
        </span>
      </td>
      <td class="num" data-l={texts.layerCount}>
        {shownNumber(layers)}
      </td>
      <td class="wide" data-l={texts.changed}>
        {shownDay(dateModified)}
      </td>
      <td class="num acts-cell">
        {mayRemove && (
          <button
            type="button"
            class="btn sm ic danger"
            aria-label={texts.removeMap(title)}
            onClick={() => onRemove(map)}
          >
            <Icon name="trash" />
          </button>
        )}
      </td>
    </tr>
  )
}

interface RemoveProps {
  map: Summary
  onClose(): void
  onDone(): void
}

function RemoveMap({ map: { name, title }, onClose, onDone }: RemoveProps) {
  const texts = mapTexts.value
  const { isBusy, error, act } = useActing()
  const remove = async (): Promise<void> => {
    await removeMap(name)
    say(texts.removed(title))
    onClose()
    onDone()
  }
  return (
    <Dialog title={texts.removeMap(title)} onClose={onClose}>
      <div class="stack">
        <p dir="auto">{texts.removeAsk(title)}</p>
        <Refused error={error.value} />
        <div class="row wrap form-end">
          <button type="button" class="btn" autofocus onClick={onClose}>
            {texts.keep}
          </button>
          <button
            type="button"
            class={`btn danger${isBusy.value ? ' busy' : ''}`}
            onClick={() => void act(remove)}
          >
            <Icon name="trash" />
            {texts.delete}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
