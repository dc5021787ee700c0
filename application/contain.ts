/**
 * A callback of an emitter or a timer. Nobody waits for its end, so what it throws, at once or
 * later, goes to `failed`: thrown further, it would end the process.
 */
export const contain =
  <Given extends readonly unknown[]>(
    act: (...given: Given) => unknown,
    failed: (error: unknown) => void,
  ) =>
  (...given: Given): void => {
    try {
      const done = act(...given)
      if (done instanceof Promise) done.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
