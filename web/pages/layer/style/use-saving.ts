import { type Signal, useSignal } from '@preact/signals'
import { call, Refusal } from '../../../api/client.ts'
import { say } from '../../../components/toasts.tsx'
import { goTo } from '../../../lib/router.ts'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import {
  defaultCall,
  keepCall,
  type LayerFacts,
  type StyleMessages,
  type StylesOfLayer,
} from './available-styles.ts'

/** Messages of the server about saved documents; shown until the page is left. */
const lastMessages = new Map<string, StyleMessages>()

export function lastMessagesOf(workspace: string, name: string): StyleMessages {
  return lastMessages.get(`${workspace} ${name}`) ?? []
}

interface SavedStyle {
  id: string
  layer: LayerFacts
  styles: Pick<StylesOfLayer, 'tag'>
  /** Name for saving; `isNew`: the workspace has no style with this name yet. */
  target: string
  isNew: boolean
  isDefault: boolean
  /** Returns the current document. */
  document(): object | string | undefined
  onKept(): Promise<void>
}

interface Saving {
  isBusy: Signal<boolean>
  error: Signal<unknown>
  /** Saves unless others have saved the style since it was loaded; optionally overwrites their version. */
  save(request?: { isInPlaceOfTheirs: boolean }): Promise<void>
}

export function useSaving(saved: SavedStyle): Saving {
  const isBusy = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const save: Saving['save'] = async ({ isInPlaceOfTheirs } = { isInPlaceOfTheirs: false }) => {
    const document = saved.document()
    if (document === undefined) return
    isBusy.value = true
    error.value = undefined
    try {
      await keep(saved, document, isInPlaceOfTheirs)
      say(styleTexts.value.isSaved)
      await saved.onKept()
    } catch (reason) {
      error.value = reason
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy, error, save }
}

async function keep(saved: SavedStyle, document: object | string, isInPlaceOfTheirs: boolean): Promise<void> {
  const { id, layer, styles, target, isNew, isDefault } = saved
  const workspace = layer.workspace.name
  const isGuarded = !isNew && !isInPlaceOfTheirs && styles.tag !== undefined
  const { style } = await call<{ style: { messages?: StyleMessages } }>({
    ...keepCall(workspace, target, document, isNew),
    ...(isGuarded && { headers: { 'if-match': styles.tag ?? '*' } }),
  })
  if (isNew && isDefault) await call(defaultCall(id, target))
  lastMessages.set(`${workspace} ${target}`, style.messages ?? [])
  if (isNew && !isDefault)
    goTo(`/app/layers/${encodeURIComponent(id)}/style?style=${encodeURIComponent(target)}`)
}

/** True if others have saved the same style meanwhile. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'changed-meanwhile'
}
