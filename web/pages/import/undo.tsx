import { useEffect, useMemo } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { reasonOf } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { Resource } from '../../lib/resource.ts'
import { endTexts } from '../../messages/import-end/texts.ts'
import { type LayerVersion, wayBack } from './undo-target.ts'
import { useAct } from './use-act.ts'

interface UndoProps {
  importId: number
  /** Workspace and name. */
  layer: string
  reload(): Promise<void>
}

/** Undoes or redoes an import's change of a layer, as long as the layer was not changed since. */
export function Undo({ importId, layer, reload }: UndoProps) {
  const texts = endTexts.value
  const path = `/rest/layers/${encodeURIComponent(layer)}`
  const versions = useMemo(
    () => new Resource<{ versions: LayerVersion[] }>((signal) => call({ path: `${path}/versions` }, signal)),
    [path],
  )
  useEffect(() => {
    void versions.load()
    return () => versions.stop()
  }, [versions])
  const { act, error } = useAct(async () => {
    await versions.load()
    await reload()
  })
  const way = wayBack(versions.value?.versions ?? [], importId)
  if (way === undefined) return null
  const requested: Call =
    way.to === undefined
      ? { method: 'DELETE', path, query: { recurse: true } }
      : { method: 'POST', path: `${path}/versions/${way.to}/restore`, body: {} }
  const go = async (): Promise<void> => {
    await act(requested)
    if (error.value === undefined) say(way.isRedo ? texts.redone : texts.undone)
  }
  return (
    <>
      <button type="button" class="btn" title={texts.undoHint} onClick={() => void go()}>
        <Icon name={way.isRedo ? 'refresh' : 'undo'} />
        {way.isRedo ? texts.redo : texts.undo}
      </button>
      {error.value !== undefined && (
        <p class="err" role="alert">
          <Icon name="bad" />
          <span dir="auto">{reasonOf(error.value)}</span>
        </p>
      )}
    </>
  )
}
