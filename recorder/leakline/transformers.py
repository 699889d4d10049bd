"""``trainer.add_callback(LeaklineCallback(trainer))`` for the Trainer of transformers: findings go to what it reports to."""
from __future__ import annotations

from typing import Any, Optional

from transformers import TrainerCallback

from .report import Report
from .watch import Watch, scalars, text


class LeaklineCallback(TrainerCallback):
    """Records the training run and judges it every so many epochs. With the ``trainer``, numbers below ``leakline/`` go to all
    that it reports to; TensorBoard, W&B and MLflow get the findings as a text. ``root`` has the sources; ``options`` are
    those of ``leakline run``.
    """

    def __init__(self, trainer: Any = None, every_n_epochs: int = 1, root: str = '.', **options: Any) -> None:
        self.report: Optional[Report] = None    #: the last verdict
        self._trainer = trainer
        self._every = max(1, every_n_epochs)
        self._epochs = 0
        self._watch = Watch(root, options)

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._watch.start()

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._epochs += 1
        is_last = control.should_training_stop or state.global_step >= state.max_steps
        if state.is_world_process_zero and (is_last or self._epochs % self._every == 0):
            self._judge(state.global_step)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._watch.stop()

    def _judge(self, step: int) -> None:
        self.report = self._watch.judge() or self.report
        if self.report is None:
            return
        if self._trainer is not None:
            self._trainer.log(scalars(self.report))
            for callback in self._trainer.callback_handler.callbacks:
                _log_text(callback, text(self.report), step)


def _log_text(callback: Any, findings: str, step: int) -> None:
    """Callbacks have no method in common for texts."""
    kind = type(callback).__name__
    if kind == 'TensorBoardCallback' and callback.tb_writer is not None:
        callback.tb_writer.add_text('leakline/findings', findings, step)
    elif kind == 'WandbCallback' and callback._wandb is not None:
        callback._wandb.log({'leakline/findings': callback._wandb.Table(columns=['findings'], data=[[findings]])})
    elif kind == 'MLflowCallback' and callback._ml_flow is not None:
        callback._ml_flow.log_text(findings, 'leakline/findings.md')
