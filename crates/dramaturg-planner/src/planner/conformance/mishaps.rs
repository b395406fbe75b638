//! What else can become of a step.

use dramaturg_model::{Fixed, StepEvent, StepEventKind, Tick};

use super::life::Life;

/// No planner numbers its steps so high in a trial.
const UNKNOWN: u32 = 4_000_000;

impl Life<'_> {
    /// A step that runs is seen to be so far, and to take longer or shorter than was known.
    pub(super) fn amend(&mut self, events: &mut Vec<StepEvent>) {
        if !self.has_whim() {
            return;
        }
        let running: Vec<u32> = self.running.keys().copied().collect();
        let Some(id) = self.pick(&running) else { return };
        let more = self.whims.below(12) as Tick;
        let Some(running) = self.running.get_mut(&id) else { return };
        running.end = self.now + 1 + more;
        let duration = running.end - running.start;
        events.push(StepEvent { step: id, version: 1, kind: StepEventKind::Progress(Fixed::ONE) });
        events.push(StepEvent { step: id, version: 1, kind: StepEventKind::Amended(duration) });
        self.truth.amended(id, duration);
        // The judge of whole plans has another duration for it.
        self.history = None;
        self.outcome.whims.amended += 1;
        self.note(|| format!("step {id} takes {duration} ticks"));
    }

    /// Somebody is asked about a step that was sent, and answers.
    pub(super) fn refuse(&mut self) {
        if !self.has_whim() {
            return;
        }
        let locked: Vec<u32> = self.locked.keys().copied().collect();
        let Some(id) = self.pick(&locked) else { return };
        let Some(answer) = self.pick(&["yes", "no", "later"]) else { return };
        if answer != "yes" {
            self.outcome.whims.refused += 1;
            let step = self.locked.remove(&id);
            self.refused.extend(step.filter(|_| answer == "no").map(|step| (step.action, step.args)));
        }
        self.note(|| format!("step {id} is answered with {answer}"));
        let kind = StepEventKind::Answered(answer.into());
        self.planner.feedback(&[StepEvent { step: id, version: 1, kind }]);
    }

    /// The game tells of a step that the planner never had, as one that has lost its memory may do.
    pub(super) fn tell_of_unknown(&mut self) {
        if !self.has_whim() {
            return;
        }
        let kinds = [
            StepEventKind::Locked,
            StepEventKind::Accepted,
            StepEventKind::Started(self.now),
            StepEventKind::Progress(Fixed::ONE),
            StepEventKind::Amended(9),
            StepEventKind::Finished(self.now),
            StepEventKind::Failed("nobody knows it".into()),
            StepEventKind::Missed(3),
            StepEventKind::GuardFailed,
            StepEventKind::Cancelled,
            StepEventKind::Answered("no".into()),
        ];
        if let Some(kind) = self.pick(&kinds) {
            self.outcome.whims.unknown += 1;
            self.note(|| format!("step {UNKNOWN}, which nobody knows: {kind:?}"));
            self.planner.feedback(&[StepEvent { step: UNKNOWN, version: 1, kind }]);
        }
    }
}
