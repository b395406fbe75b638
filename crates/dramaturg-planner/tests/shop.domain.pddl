; A job shop: operations of jobs, each on its machine, one after another.
(define (domain job-shop)
  (:requirements :typing :durative-actions :fluents)
  (:types operation machine)
  (:predicates (on ?o - operation ?m - machine) (next ?o ?p - operation) (due ?o - operation) (done ?o - operation)
               (idle ?m - machine))
  (:functions (length ?o - operation))
  (:durative-action perform
    :parameters (?o - operation ?m - machine ?p - operation)
    :duration (= ?duration (length ?o))
    :condition (and (at start (due ?o)) (at start (on ?o ?m)) (at start (next ?o ?p)) (at start (idle ?m)))
    :effect (and (at start (not (due ?o))) (at start (not (idle ?m)))
                 (at end (idle ?m)) (at end (done ?o)) (at end (due ?p))))
)
