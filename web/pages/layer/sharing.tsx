import { layerTexts } from '../../messages/layer/texts.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Refused } from '../../parts/states.tsx'
import { say } from '../../parts/toasts.tsx'
import { useActing } from '../../parts/use-acting.ts'
import { isStaff } from '../../session/session.ts'
import { call } from '../../wire/client.ts'
import { changeCall, type Entry, type Layer, type LayerReply } from './wire.ts'

interface SharingProps {
  id: string
  layer: Layer
  entry: Entry | undefined
  onChanged(): void
}

const choices = ['workspace', true, false] as const

/** Access to the layer, with an explanation. */
export function Sharing({ id, layer, entry, onChanged }: SharingProps) {
  const texts = layerTexts.value
  const { isBusy, error, act } = useActing()
  const now = layer.public ?? 'workspace'
  const isOpen = entry?.public ?? layer.public
  const choose = async (wanted: (typeof choices)[number]): Promise<void> => {
    await act(async () => {
      const { layer: changed } = await call<LayerReply>(changeCall(id, { public: wanted }))
      if (changed.copiesLiveSeconds !== undefined) say(texts.copiesLive(changed.copiesLiveSeconds))
      onChanged()
    })
  }
  return (
    <section class="panel" aria-label={texts.sharing}>
      <header>
        <h2>{texts.sharing}</h2>
        {isStaff.value && <CopyAsCurl call={() => changeCall(id, { public: isOpen !== true })} />}
      </header>
      <div class="body stack s2">
        <p class={`st ${isOpen === true ? 'ok' : ''}`}>
          <Icon name={isOpen === true ? 'globe' : 'lock'} />
          <b>{isOpen === true ? texts.isPublic : texts.isNotPublic}</b>
        </p>
        <p class="dim small">{isOpen === true ? texts.publicMeans : texts.notPublicMeans}</p>
        {isStaff.value && (
          <fieldset class="seg" aria-label={texts.sharing} disabled={isBusy.value}>
            {choices.map((choice) => (
              <button
                key={String(choice)}
                type="button"
                aria-pressed={choice === now}
                onClick={() => void choose(choice)}
              >
                {choice === 'workspace' ? texts.asWorkspace : choice ? texts.everyone : texts.usersOnly}
              </button>
            ))}
          </fieldset>
        )}
        {now === 'workspace' && (
          <p class="dim small" dir="auto">
            {texts.workspaceSays(layer.workspace.name)}
          </p>
        )}
        <Refused error={error.value} />
      </div>
    </section>
  )
}
