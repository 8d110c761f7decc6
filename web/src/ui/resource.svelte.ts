// Something fetched for a screen: loading, loaded, failed, again.
export interface Resource<T> { readonly value: T | null; readonly error: unknown; readonly loading: boolean; again(): Promise<void>; set(value: T): void }

export function resource<T>(fetcher: () => Promise<T>): Resource<T> {
  let value = $state.raw<T | null>(null);
  const state = $state<{ error: unknown; loading: boolean }>({ error: null, loading: true });
  async function again(): Promise<void> {
    state.loading = true;
    try {
      value = await fetcher();
      state.error = null;
    } catch (error) { state.error = error; }
    state.loading = false;
  }
  void again();
  return {
    get value() { return value; }, get error() { return state.error; }, get loading() { return state.loading; },
    again, set(next) { value = next; },
  };
}
